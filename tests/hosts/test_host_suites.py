"""The script that runs the hosts' own tests: what it makes of folders, and of suites without a
passing test.
"""

import host_suites


def test_a_relative_folder_is_found_from_anywhere(tmp_path, monkeypatch, capsys):
    (tmp_path / "checkout" / "tests").mkdir(parents=True)
    (tmp_path / "checkout" / "tests" / "test_one.py").write_text("def test_one(): pass\n")
    monkeypatch.chdir(tmp_path)
    seen = []

    def outcomes(tests, files, plugin, home):
        seen.append((tests, [(tests.parent / name).read_text() for name in files]))
        return {"tests/test_one.py::test_one": "passed"}

    monkeypatch.setattr(host_suites, "outcomes", outcomes)
    assert host_suites.check("ir-measures", "checkout", tmp_path)
    assert seen == [(tmp_path / "checkout" / "tests", ["def test_one(): pass\n"])] * 3
    assert capsys.readouterr().out.count("1 of 1 pass") == 3


def test_a_suite_without_a_passing_test_is_no_success(tmp_path, monkeypatch, capsys):
    (tmp_path / "tests").mkdir()
    monkeypatch.setattr(host_suites, "outcomes", lambda *_: {})
    assert not host_suites.check("ir-measures", str(tmp_path), tmp_path)
    assert "no test of" in capsys.readouterr().out
