"""EVR: networks that answer over rules (Liang, Bethard and Surdeanu 2021). `reasoner.py` loads them, `checked.py` holds what they
write to the theory, `unchecked.py` believes them; `t5.py` runs them in NumPy.
"""
