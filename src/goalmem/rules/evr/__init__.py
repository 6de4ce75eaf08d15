"""EVR: neural reasoning over rules (Liang, Bethard and Surdeanu 2021). `reasoner.py` loads the networks, `checked.py`
validates their output against the theory, `unchecked.py` trusts it; `t5.py` runs them in NumPy.
"""
