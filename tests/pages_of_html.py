"""Read pages of HTML that `Analysis.save_html` writes: the records in them, and the browser that opens them."""

import base64
import json
import re
import zlib

FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
]


def records(path):
    """Return the index of a page, and its documents by name."""
    packed = dict(re.findall(r'<script type="text/plain" id="(\w+)">([^<]*)</script>', path.read_text()))
    read = {name: json.loads(zlib.decompress(base64.b64decode(text))) for name, text in packed.items()}
    index = read.pop("index")
    places = zip(index["names"], index["places"], strict=True)
    return index, {name: read[f"c{c}"][n] for name, (c, n) in places}
