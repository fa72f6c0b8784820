"""Adapter over the official schemas with the Python package jsonschema.

mcpgen vectors run -- python3 examples/vectors/python_jsonschema.py

A schema does not say how bytes become messages, so vectors of framing are skipped.
"""
import json
import sys
from pathlib import Path

from jsonschema import Draft202012Validator

SCHEMAS = Path(__file__).resolve().parent.parent.parent / "schema"
validators = {}


def definitions(revision):
    return json.loads((SCHEMAS / revision / "schema.json").read_text("utf-8"))["$defs"]


def check(revision, name, value, place=""):
    """The verdict on a value as a definition of a revision."""
    if (revision, name) not in validators:
        known = definitions(revision)
        schema = {"$defs": known, "$ref": f"#/$defs/{name}"}
        validators[revision, name] = Draft202012Validator(schema) if name in known else None
    validator = validators[revision, name]
    if validator is None:
        return {"skip": f"no definition {name}"}
    error = next(validator.iter_errors(value), None)
    if error is None:
        return {"valid": True}
    path = "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in error.absolute_path)
    return {"valid": False, "pointer": place + path}


def result_of(revision, method):
    """The name of a result by the method of its request."""
    known = definitions(revision)
    for name, schema in known.items():
        if name.endswith("Request") and schema.get("properties", {}).get("method", {}).get("const") == method:
            result = name[: -len("Request")] + "Result"
            return result if result in known else "EmptyResult"
    return "EmptyResult"


def check_message(revision, request):
    message = request["message"]
    envelope = check(revision, "JSONRPCMessage", message)
    if not envelope.get("valid"):
        return envelope
    if "answers" in request:
        if not isinstance(message, dict) or "result" not in message:
            return envelope
        return check(revision, result_of(revision, request["answers"]), message["result"], "/result")
    kind = "Request" if isinstance(message, dict) and "id" in message else "Notification"
    return check(revision, ("Client" if request["sender"] == "client" else "Server") + kind, message)


def answer(request):
    if request["kind"] == "definition":
        return check(request["revision"], request["definition"], request["value"])
    if request["kind"] == "message":
        return check_message(request["revision"], request)
    return {"skip": "a schema reads no bytes"}


# Bytes, because text mode would also end lines at a carriage return.
for line in sys.stdin.buffer:
    request = json.loads(line)
    sys.stdout.write(json.dumps({"name": request["name"], **answer(request)}) + "\n")
    # Without it, answers wait in a buffer, and the runner waits for them.
    sys.stdout.flush()
