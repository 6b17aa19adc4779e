"""For tests that look at what the program says: called with pipes, or on a terminal of a given width."""
import fcntl
import os
import pty
import signal
import struct
import subprocess
import termios
import threading

PROGRAM = os.environ.get("VISVIVA", "")


def call(*arguments, env=None, cwd=None, stdout=subprocess.PIPE):
    """Without a terminal: what came out, with .stdout, .stderr and .returncode."""
    environment = dict(os.environ, **(env or {}))
    return subprocess.run([PROGRAM, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE,
                          text=True, timeout=300, env=environment, cwd=cwd)


def on_terminal(*arguments, columns=80, env=None, cwd=None, interrupt=None):
    """(exit code, all that was written to a terminal of that width by stdout and stderr). `interrupt`: after so many seconds."""
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    environment.update({"TERM": "xterm", **(env or {})})
    outer, inner = pty.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    child = subprocess.Popen([PROGRAM, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=inner, stderr=inner, env=environment,
                             cwd=cwd)
    os.close(inner)
    if interrupt:
        threading.Timer(interrupt, child.send_signal, [signal.SIGINT]).start()
    said = b""
    while True:
        try:
            part = os.read(outer, 65536)
        except OSError:  # all ends are closed
            break
        if not part:
            break
        said += part
    os.close(outer)
    return child.wait(timeout=300), said.decode(errors="replace").replace("\r\n", "\n")
