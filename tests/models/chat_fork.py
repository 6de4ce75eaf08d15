"""Ask a chat model, fork, and ask again in parent and child at once: python chat_fork.py URL. Says `same`."""

import os
import sys

from goalmem.models.chat import ChatRequest
from goalmem.models.openai_chat import OpenAIChat

model = OpenAIChat(sys.argv[1], "small", concurrency=1)
request = ChatRequest("answer", "", "Capital of France?")
before = model.reply(request).text
child = os.fork()
same = before == model.reply(request).text == "Paris"
if child == 0:
    os._exit(not same)
_, status = os.waitpid(child, 0)
sys.stdout.write("same" if same and status == 0 else f"the child ended with {status}")
