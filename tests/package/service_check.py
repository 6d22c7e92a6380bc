"""usage: service_check.py COMMAND...: starts a service by COMMAND, asks it for a decision, rewards it, ends it in good order."""
import json
import signal
import subprocess
import sys
import urllib.request


def ask(address, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address + path, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)


def main():
    process = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        address = process.stdout.readline().strip()
        assert address.startswith("http"), address
        assert ask(address, "/healthz")["status"] == "alive"
        event = ask(address, "/v1/loops/default/rank", {"actions": [{"id": "a", "vector": [1, 0]}, {"id": "b", "vector": [0, 1]}]})
        assert abs(sum(row["probability"] for row in event["ranking"]) - 1) < 1e-6
        assert ask(address, f"/v1/events/{event['event_id']}/reward", {"value": 1})["applied"]
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0
        print("a decision, a reward, a stop")
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


if __name__ == "__main__":
    main()
