//! Adapter over structs of serde, with two of them as an example, and serde_json for framing.
//!
//! cargo build --release
//! mcpgen vectors run -- target/release/vectors-adapter
use serde::{de::DeserializeOwned, Deserialize};
use serde_json::{json, Map, Value};
use std::io::{self, BufRead, Write};

// Without a flattened map, serde also reads a struct from a list.
#[derive(Deserialize)]
#[allow(dead_code)]
struct Implementation {
    name: String,
    version: String,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

#[derive(Deserialize)]
#[allow(dead_code)]
struct CompleteRequestArgument {
    name: String,
    value: String,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

fn verdict<T: DeserializeOwned>(value: &Value) -> Value {
    json!({ "valid": serde_json::from_value::<T>(value.clone()).is_ok() })
}

/// The struct of a definition in a revision; a real SDK has one for each.
fn definition(revision: &str, name: &str, value: &Value) -> Value {
    match (revision, name) {
        ("2024-11-05" | "2025-03-26", "Implementation") => verdict::<Implementation>(value),
        (_, "CompleteRequestArgument") => verdict::<CompleteRequestArgument>(value),
        _ => json!({ "skip": "no struct" }),
    }
}

fn is_id(value: &Value) -> bool {
    value.is_string() || value.is_i64() || value.is_u64()
}

fn is_message(value: &Value) -> bool {
    if value["jsonrpc"] != "2.0" {
        return false;
    }
    let (id, method) = (value.get("id"), value.get("method"));
    if let Some(method) = method {
        let params = value.get("params");
        return method.is_string() && id.map_or(true, is_id) && params.map_or(true, Value::is_object);
    }
    match (value.get("result"), value.get("error")) {
        (Some(result), None) => id.map_or(false, is_id) && result.is_object(),
        (None, Some(error)) => {
            let is_code = error["code"].is_i64() || error["code"].is_u64();
            is_code && error["message"].is_string() && id.map_or(true, |id| id.is_null() || is_id(id))
        }
        _ => false,
    }
}

/// 2025-03-26 has batches.
fn is_frame(revision: &str, value: &Value) -> bool {
    let batch = value.as_array().filter(|_| revision == "2025-03-26");
    batch.map_or_else(|| is_message(value), |items| !items.is_empty() && items.iter().all(is_message))
}

fn frame(revision: &str, line: &[u8]) -> Value {
    let Ok(text) = std::str::from_utf8(line) else {
        return json!({ "error": "not-utf8" });
    };
    match serde_json::from_str::<Value>(text) {
        Err(_) => json!({ "error": "not-json" }),
        Ok(value) if is_frame(revision, &value) => json!({ "message": value }),
        Ok(_) => json!({ "error": "not-a-message" }),
    }
}

fn frames(revision: &str, chunks: &Value) -> Value {
    let texts = chunks.as_array().into_iter().flatten().filter_map(Value::as_str);
    let stream: Vec<u8> = texts.filter_map(|text| base64::decode(text).ok()).flatten().collect();
    let lines = stream.split(|byte| *byte == b'\n');
    let full = lines.filter(|line| !line.trim_ascii().is_empty());
    json!(full.map(|line| frame(revision, line)).collect::<Vec<_>>())
}

fn answer(request: &Value) -> Value {
    let text = |name: &str| request[name].as_str().unwrap_or_default();
    match text("kind") {
        "definition" => definition(text("revision"), text("definition"), &request["value"]),
        "framing" => json!({ "frames": frames(text("revision"), &request["chunks"]) }),
        _ => json!({ "skip": "no structs of messages" }),
    }
}

/// A line of the runner: its values may be nested deeper than the 128 levels that serde_json reads by default.
fn read(line: &str) -> serde_json::Result<Value> {
    let mut reader = serde_json::Deserializer::from_str(line);
    reader.disable_recursion_limit();
    Value::deserialize(&mut reader)
}

fn main() -> io::Result<()> {
    for line in io::stdin().lock().lines() {
        let line = line?;
        let mut answer = match read(&line) {
            Ok(request) => answer(&request),
            // serde_json reads no escape of half a character.
            Err(error) => json!({ "skip": error.to_string() }),
        };
        // The name comes first in every line.
        answer["name"] = json!(line.split('"').nth(3));
        let mut stdout = io::stdout().lock();
        writeln!(stdout, "{answer}")?;
        stdout.flush()?;
    }
    Ok(())
}
