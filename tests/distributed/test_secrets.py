"""Passwords of addresses aren't shown in what failed commands say."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raskt.distributed import Client, CondaInstall, LocalCluster, PipInstall
from raskt.distributed._clusters._command import CommandProcess
from raskt.distributed._plugin_kinds import _Command
from raskt.distributed._secrets import hidden

WORDS = st.text("abcXYZ019-._~!$&()*+,;=:%", min_size=8, max_size=20)


@given(
    secret=WORDS.map(lambda word: f"S3cret{word}"),
    form=st.sampled_from(
        [
            "https://user:{}@host/simple",
            "http://{}@proxy:3128",
            "git+https://{}:x-oauth-basic@host/a/b.git@v1",
            "https://a:b@{}@host",
            "socks5h://me:{}@[::1]:1080/",
        ]
    ),
    around=st.sampled_from(["{}", "--index-url={}", "ERROR: no way to '{}': timed out", "a {} b", 'x "{}"']),
)
def test_what_stands_before_a_host_is_hidden(secret: str, form: str, around: str) -> None:
    told = hidden(around.format(form.format(secret)))
    assert secret not in told and "***@" in told
    assert hidden(told) == told


@pytest.mark.parametrize(
    "text",
    [
        "https://host/simple",
        "git+https://host/a/b.git@v1.0",
        "me@host: /t/file",
        "a==1.0; python_version < '3.12'",
        "tcp://127.0.0.1:8786",
    ],
)
def test_what_is_no_secret_is_shown(text: str) -> None:
    assert hidden(text) == text


def test_commands_that_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    url = "https://me:S3cret@host/simple"
    says = f"import sys; print('x' * 3000, {url!r}, 'y' * 3980); sys.exit(3)"
    for command in ([sys.executable, "-c", says], ["no-such-program", url], ["/", url]):
        with pytest.raises(RuntimeError) as told:
            _Command(command)()
        assert "cret" not in str(told.value) and "***@host" in str(told.value)


def test_plugins_that_fail() -> None:
    url = "https://me:S3cret@127.0.0.1:9/simple"
    options = ["--index-url", url, "--retries", "0", "--timeout", "1", "--disable-pip-version-check"]
    with LocalCluster(n_workers=1, threads_per_worker=1) as cluster, Client(cluster) as client:
        client.wait_for_workers(1, 30)
        for plugin in (PipInstall(["no-such-package"], options), CondaInstall([url])):
            with pytest.raises(RuntimeError) as told:
                client.register_plugin(plugin)
            assert "S3cret" not in str(told.value) and "***@" in str(told.value)
        assert "S3cret" not in str(cluster.get_logs()) + str(client.get_worker_logs()) + str(
            client.get_scheduler_logs()
        )


def test_a_command_that_does_not_come_up(monkeypatch: pytest.MonkeyPatch) -> None:
    import asyncio

    class Says(CommandProcess):
        _command = "scheduler"

        def command_line(self) -> list[str]:
            return [sys.executable, "-c", "print('no way to http://me:S3cret@proxy:1')"]

    async def main() -> None:
        await Says(None, "scheduler", [])

    with pytest.raises(RuntimeError, match="hasn't come up") as told:
        asyncio.run(main())
    assert "S3cret" not in str(told.value) and "***@proxy" in str(told.value)
