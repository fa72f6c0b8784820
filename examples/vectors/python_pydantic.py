"""Adapter over models of pydantic 2, with three of them as an example, and Python's own JSON for framing.

mcpgen vectors run -- python3 examples/vectors/python_pydantic.py

By default, pydantic accepts "1" as a number and True as 1: strict=True rejects what JSON Schema rejects.
"""
import base64
import json
import sys
from typing import Any, Literal, Optional, Union

from pydantic import BaseModel, ConfigDict, StrictInt, StrictStr, ValidationError


class Open(BaseModel):
    """An object with further members."""

    model_config = ConfigDict(extra="allow", strict=True)


class Implementation(Open):
    name: str
    version: str


class CompleteRequestArgument(Open):
    name: str
    value: str


class Request(Open):
    jsonrpc: Literal["2.0"]
    id: Union[StrictStr, StrictInt]
    method: str
    params: Optional[dict[str, Any]] = None


# The models of each revision; a real SDK has one for each definition.
MODELS = {("2024-11-05", "Implementation"): Implementation, ("2025-03-26", "Implementation"): Implementation}


def verdict(model, value):
    try:
        model.model_validate(value)
        return {"valid": True}
    except ValidationError as error:
        keys = error.errors()[0]["loc"]
        return {"valid": False, "pointer": "".join(f"/{key}" for key in keys)}


def frame(line):
    """The frame of a line, as a reader with Python's json finds it."""
    try:
        value = json.loads(line.decode("utf-8"))
        # Python reads NaN and Infinity, which are not JSON, and could not be answered as JSON.
        json.dumps(value, allow_nan=False)
    except UnicodeDecodeError:
        return {"error": "not-utf8"}
    except (ValueError, RecursionError):
        return {"error": "not-json"}
    is_message = isinstance(value, dict) and value.get("jsonrpc") == "2.0" and ("method" in value or "id" in value)
    return {"message": value} if is_message else {"error": "not-a-message"}


def answer(request):
    if request["kind"] == "definition":
        model = MODELS.get((request["revision"], request["definition"]))
        return {"skip": "no model"} if model is None else verdict(model, request["value"])
    if request["kind"] == "framing":
        stream = b"".join(base64.b64decode(chunk) for chunk in request["chunks"])
        return {"frames": [frame(line) for line in stream.split(b"\n") if line.strip()]}
    return {"skip": "no models of messages"}


for line in sys.stdin.buffer:
    request = json.loads(line)
    sys.stdout.write(json.dumps({"name": request["name"], **answer(request)}) + "\n")
    sys.stdout.flush()
