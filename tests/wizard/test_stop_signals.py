"""Whoever asks the program to end is heard; who was told not to ask is not."""

import signal
import sys

import pytest

from wizard.cli.follow import Stop
from wizard.stop_signals import asked_to_end

ALL = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no signal to itself in this way")
@pytest.mark.parametrize("number", ALL)
def test_each_is_heard_and_given_back(number: signal.Signals) -> None:
    asked: list[bool] = []
    original = signal.signal(number, signal.SIG_DFL)
    try:
        with asked_to_end(lambda: asked.append(True)):
            signal.raise_signal(number)
        assert signal.getsignal(number) is signal.SIG_DFL
    finally:
        signal.signal(number, original)
    assert asked == [True]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGHUP, which nohup ignores")
def test_what_nohup_ignores_stays_ignored() -> None:
    original = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with asked_to_end(lambda: pytest.fail("was ignored")):
            signal.raise_signal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, original)


def test_the_second_time_it_ends(capsys: pytest.CaptureFixture[str]) -> None:
    stop = Stop("en")
    stop.ask()
    assert stop.is_set()
    assert "Cancelled" in capsys.readouterr().err
    with pytest.raises(KeyboardInterrupt):
        stop.ask()


def test_a_terminal_that_went_away_does_not_stop_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*_: object, **__: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("builtins.print", gone)
    stop = Stop("en")
    stop.ask()
    assert stop.is_set()
