"""A headless Chromium behind chromedriver, spoken to in plain HTTP: enough to open a page, ask it things and read its logs."""
import base64
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import urllib.request

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
CHROMEDRIVER = shutil.which("chromedriver")


class Browser:
    def __init__(self, width, height, dark=False, pixel_ratio=1):
        self.profile = tempfile.mkdtemp(prefix="neuralts-browser-")
        self.address = "http://127.0.0.1:" + self._start()
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update",
                     "--disable-sync", "--hide-scrollbars", "--user-data-dir=" + self.profile] + (["--force-dark-mode", "--blink-settings=preferredColorScheme=0"] if dark else [])
        wanted = {"browserName": "chrome", "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
                  "goog:chromeOptions": {"binary": CHROMIUM, "args": arguments,
                                         "mobileEmulation": {"deviceMetrics": {"width": width, "height": height, "pixelRatio": pixel_ratio, "mobile": width < 600}}}}
        self.session = "/session/" + self._post("/session", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]

    def _start(self, tries=3):
        """The driver's port. It ends at once where another program takes the port it has found free."""
        for _ in range(tries):
            self.driver = subprocess.Popen([CHROMEDRIVER, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            for line in self.driver.stdout:
                if found := re.search(r"started successfully on port (\d+)", line):
                    return found.group(1)
            self.driver.stdout.close()
            self.driver.wait()
        raise RuntimeError("chromedriver did not start")

    def _post(self, path, body):
        request = urllib.request.Request(self.address + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.load(answer)["value"]

    def open(self, path):
        self.page = pathlib.Path(path).resolve().as_uri()
        self._post(self.session + "/url", {"url": self.page})

    def ask(self, script):
        return self._post(self.session + "/execute/sync", {"script": script, "args": []})

    def wait_for(self, script, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if value := self.ask(script):
                return value
            time.sleep(0.05)
        raise TimeoutError(script)

    def log(self, kind):
        return self._post(self.session + "/se/log", {"type": kind})

    def requests(self):
        """Every address the page has asked for; the browser's own pages (a new tab's) are not ours."""
        messages = (json.loads(entry["message"])["message"] for entry in self.log("performance"))
        sent = [message["params"] for message in messages if message["method"] == "Network.requestWillBeSent"]
        return [request["request"]["url"] for request in sent if request["documentURL"] == self.page]

    def screenshot(self, path):
        height = self.ask("return document.documentElement.scrollHeight")
        width = self.ask("return document.documentElement.clientWidth")
        picture = self._post(self.session + "/goog/cdp/execute", {"cmd": "Page.captureScreenshot", "params": {
            "captureBeyondViewport": True, "clip": {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}}})
        pathlib.Path(path).write_bytes(base64.b64decode(picture["data"]))

    def close(self):
        try:
            urllib.request.urlopen(urllib.request.Request(self.address + self.session, method="DELETE"), timeout=60).close()
        finally:
            self.driver.terminate()
            self.driver.wait()
            shutil.rmtree(self.profile, ignore_errors=True)
