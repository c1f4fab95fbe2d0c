#!/usr/bin/env python3
"""Plays a hostile agent: tries to reach what it must not, and answers with a list of what it reached."""

import ctypes
import glob
import json
import os
import platform
import socket
import sys
import time

TARGETS = json.loads(sys.argv[1])
TASK = TARGETS["task"]
FAST_OPEN = 0x20000000
# The system calls add_key and keyctl.
KEY_CALLS = {"x86_64": (248, 250), "aarch64": (217, 219)}.get(platform.machine())
SESSION_KEYRING = -3
SEARCH = 10
reached = []


def attempt(name, action):
    try:
        if action() is not False:
            reached.append(name)
    except Exception:
        pass


def read(path):
    with open(path, "rb") as file:
        return len(file.read(1)) > 0


def write(path):
    with open(path, "ab") as file:
        file.write(b"hostile\n")
    # Its own copy of a folder is harmless. The test looks at the real one.
    return False


def connect(family, address):
    with socket.socket(family, socket.SOCK_STREAM) as stream:
        stream.settimeout(3)
        stream.connect(address)


def connect_by(protocol, address):
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol) as stream:
        stream.settimeout(3)
        stream.connect(address)


def send(family, kind, flags, address):
    with socket.socket(family, kind) as sender:
        sender.settimeout(3)
        sender.sendto(b"x", flags, address)


def through_proxy(request):
    host, port = os.environ["HTTP_PROXY"].removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as stream:
        stream.sendall(request.encode())
        return stream.recv(100).split(b" ")[1] == b"200"


def proxy(place):
    return through_proxy(f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n\r\n")


def detach(work):
    """Runs a function in a process that is the child of nobody, in a new session, without an environment."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for number in range(3):
                os.close(number)
            work()
        os._exit(0)
    os.wait()


def sleep_without_environment():
    os.execve("/usr/bin/sleep", [TARGETS["mark"], "1000"], {})


def change_number():
    while True:
        if os.fork() != 0:
            os._exit(0)


def plant_key():
    libc = ctypes.CDLL(None)
    return libc.syscall(KEY_CALLS[0], b"user", TARGETS["mark"].encode(), b"secret", 6, SESSION_KEYRING) > 0


def find_key():
    libc = ctypes.CDLL(None)
    return libc.syscall(KEY_CALLS[1], SEARCH, SESSION_KEYRING, b"user", TARGETS["mark"].encode(), 0) > 0


def fill(folder):
    written = 0
    try:
        for index in range(100):
            with open(f"{folder}/filling{index}", "wb") as file:
                for _ in range(1024):
                    written += file.write(b"x" * (1 << 16))
    except OSError:
        pass
    return written


def reach():
    for path in TARGETS["reads"]:
        attempt(f"read {path}", lambda: read(path))
    for path in TARGETS["writes"]:
        attempt(f"write {path}", lambda: write(path))
    for path in glob.glob("/proc/[0-9]*/environ"):
        attempt(f"token in {path}", lambda: TARGETS["token"].encode() in open(path, "rb").read())
    attempt("a process of the caller", lambda: os.kill(TARGETS["caller"], 0))
    for path in ["/var/run/docker.sock", "/run/docker.sock", "/run/dbus/system_bus_socket", TARGETS["socket"]]:
        attempt(f"socket {path}", lambda: connect(socket.AF_UNIX, path))
        if TARGETS["namespaces"]:
            attempt(f"name of the socket {path}", lambda: os.stat(path))
    attempt("the folder of sockets", lambda: os.listdir("/run/user"))
    for path in TARGETS["reads"]:
        # Reports success without an effect where there are no namespaces. The test looks at the file.
        attempt(f"permissions of {path}", lambda: os.chmod(path, 0o777) or False)
    attempt("an abstract socket", lambda: connect(socket.AF_UNIX, "\0" + TARGETS["abstract"]))
    port = TARGETS["port"]
    attempt("loopback", lambda: connect(socket.AF_INET, ("127.0.0.1", port)))
    attempt("IPv6 loopback", lambda: connect(socket.AF_INET6, ("::1", port)))
    attempt("IPv4", lambda: connect(socket.AF_INET, ("192.0.2.1", 80)))
    attempt("IPv6", lambda: connect(socket.AF_INET6, ("2001:db8::1", 80)))
    attempt("DNS", lambda: socket.getaddrinfo("example.com", 443))
    attempt("a name server", lambda: send(socket.AF_INET, socket.SOCK_DGRAM, 0, ("192.0.2.53", 53)))
    attempt("a fast connection", lambda: send(socket.AF_INET, socket.SOCK_STREAM, FAST_OPEN, ("127.0.0.1", port)))
    attempt("a raw socket", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP))
    attempt("another protocol", lambda: connect_by(262, ("127.0.0.1", port)))
    attempt("a socket pair", lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b"x", TARGETS["socket"]))
    for place in [f"127.0.0.1:{port}", f"localhost:{port}", "refused.example:443", "169.254.169.254:80"]:
        attempt(f"proxy to {place}", lambda: proxy(place))
    attempt("proxy without TLS", lambda: through_proxy(f"GET http://127.0.0.1:{port}/ HTTP/1.1\r\n\r\n"))
    libc = ctypes.CDLL(None, use_errno=True)
    for name in ["SSH_AUTH_SOCK", "DOCKER_HOST", "DBUS_SESSION_BUS_ADDRESS"]:
        attempt(f"the variable {name}", lambda: name in os.environ)
    attempt("the caller's keyring", find_key)
    attempt("a user namespace", lambda: libc.unshare(0x10000000) == 0)
    attempt("a mount", lambda: libc.mount(b"none", b"/tmp", b"tmpfs", 0, None) == 0)
    attempt("settings of the kernel", lambda: os.close(os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY)))
    attempt("tracing", lambda: libc.ptrace(16, os.getppid(), 0, 0) == 0)
    attempt("memory of the launcher", lambda: read(f"/proc/{os.getppid()}/mem"))
    attempt("files of the launcher", lambda: os.readlink(f"/proc/{os.getppid()}/fd/0"))
    detach(sleep_without_environment)
    detach(change_number)


sys.stdin.read()
report = "reached nothing"
if TASK == "fail":
    sys.exit("no answer")
elif TASK == "invalid":
    sys.exit(print("no review"))
elif TASK == "reach":
    reach()
    report = "reached " + (", ".join(reached) or "nothing")
elif TASK == "plant a key":
    attempt("planted", plant_key)
    attempt("found", find_key)
    report = ", ".join(reached)
elif TASK == "fill":
    folders = [os.path.expanduser("~"), os.environ["TMPDIR"], "/tmp", "/dev/shm", "/dev", "/", os.getcwd()]
    # The home has the schema of the answer, which takes some pages of it.
    report = "filled " + str([round(fill(folder) / (1 << 20)) for folder in folders])
elif TASK == "small files":
    for number in range(100000):
        with open(os.path.expanduser(f"~/small{number}"), "wb") as file:
            file.write(b"x" * (1 << 20))
        time.sleep(0.01)
elif TASK == "memory":
    blocks = []
    while True:
        blocks.append(bytearray(os.urandom(1 << 20) * 16))
        time.sleep(0.02)
elif TASK == "processes":
    for _ in range(2000):
        if os.fork() == 0:
            time.sleep(1000)
    time.sleep(1000)
elif TASK == "state":
    home = os.path.expanduser("~/.tool")
    report = open(f"{home}/token").read() + open(f"{home}/settings").read()
    for name in ["token", "settings", "new"]:
        with open(f"{home}/{name}.new", "w") as file:
            file.write("changed")
        os.rename(f"{home}/{name}.new", f"{home}/{name}")
elif TASK == "network":
    with socket.create_connection(("127.0.0.1", TARGETS["port"]), timeout=10) as stream:
        stream.sendall(b"direct")
        report = stream.recv(100).decode()
    attempt("the allowed host", lambda: proxy(f"localhost:{TARGETS['port']}"))
    attempt("another host", lambda: proxy("refused.example:443"))
    report += " reached " + ", ".join(reached)
print(json.dumps({"summary_markdown": report, "findings": []}))
