"""Run a notebook in its sandbox, and its tests outside, on what the notebook answers.

The kernel has the student's code and the data. A test runs in the grader's own Python: names that
it does not define are asked of the kernel. Plain values come back as copies, anything else as a
handle that can be called. So the code under test sees the arguments of calls and never a test, and
nothing that it does to its own Python changes what a test says.
"""

import ast
import base64
import builtins
import contextlib
import io
import json
import warnings
from queue import Empty

import cloudpickle
import numpy as np
from course import metadata
from nbclient import NotebookClient
from nbclient.util import run_sync
from sandbox import SECONDS, Watch, kernel, place
from stops import told

#: Bytes that a notebook may print, and that one answer to a test may have.
PRINTED, ANSWER = 200_000, 50_000_000

# The kernel's half: evaluate an expression among the notebook's names, answer in JSON.
ANSWERS = """
class __Answers__:
    kept = []

    def __call__(self, question):
        import base64, io, json, os, pickle, traceback
        class Load(pickle.Unpickler):
            persistent_load = lambda _, i: self.kept[i]
        try:
            expression, values = Load(io.BytesIO(base64.b64decode(question))).load()
            answer = {"is": self.told(eval(expression, {**get_ipython().user_ns, **values}))}
        except BaseException as error:
            kinds = [kind.__name__ for kind in type(error).__mro__]
            calls = [(call.f_code, line) for call, line in traceback.walk_tb(error.__traceback__)]
            home = os.path.dirname(calls[0][0].co_filename)  # of what a kernel makes of cells
            lines = [f"line {line - code.co_firstlineno + 1} of {code.co_name}"
                     for code, line in calls[1:] if os.path.dirname(code.co_filename) == home
                     and code.co_name.isidentifier()]
            answer = {"error": kinds, "says": str(error)[:500], "where": lines[-1] if lines else ""}
        return json.dumps(answer)

    def told(self, value):
        import base64, io, types
        import numpy as np
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or type(value) in (bool, int, float, str):
            return value
        if isinstance(value, np.ndarray) and value.dtype.kind in "biufcU":
            file = io.BytesIO()
            np.save(file, np.asarray(value), allow_pickle=False)
            return {"array": base64.b64encode(file.getvalue()).decode()}
        if isinstance(value, (list, tuple)):
            return {type(value).__name__ if type(value) in (list, tuple) else "tuple":
                    [self.told(one) for one in value]}
        if isinstance(value, dict):
            return {"dict": [[self.told(key), self.told(one)] for key, one in value.items()]}
        if isinstance(value, types.ModuleType):
            raise NameError("a test imports its own modules")
        self.kept.append(value)
        return {"kept": len(self.kept) - 1}

    @staticmethod
    def pack(message):
        import json
        from jupyter_client.jsonutil import json_default
        return json.dumps(message, default=json_default).encode()

__answers__ = __Answers__()
# Jupyter's own refuses half a character, and the kernel may then print nothing more
get_ipython().kernel.session.pack = __answers__.pack
"""


class Handle:
    """Something of the notebook that is no plain value: a function, an object."""

    def __init__(self, ask, number):
        self._ask, self._number = ask, number

    def __call__(self, *args, **kwargs):
        """Call it in the kernel."""
        return self._ask("it(*args, **kwargs)", it=self, args=args, kwargs=kwargs)

    def __getattr__(self, name):
        """Read an attribute in the kernel."""
        if name.startswith("__"):
            raise AttributeError(name)
        return self._ask("getattr(it, name)", it=self, name=name)


class _Pickler(cloudpickle.CloudPickler):
    def persistent_id(self, it):
        return it._number if isinstance(it, Handle) else None


def decoded(ask, told):
    """Return the value of an answer; nothing in it is executed."""
    if not isinstance(told, dict):
        return told
    ((kind, content),) = told.items()
    if kind == "array":
        return np.load(io.BytesIO(base64.b64decode(content)), allow_pickle=False)
    if kind in ("list", "tuple"):
        return {"list": list, "tuple": tuple}[kind](decoded(ask, one) for one in content)
    if kind == "dict":
        return {decoded(ask, key): decoded(ask, one) for key, one in content}
    return Handle(ask, int(content))


def raised(kinds, says, where):
    """Return the error of an answer as the nearest built-in kind, so that a test may expect it.

    As ``told`` it keeps its own kind, and the line of the student's function.
    """
    if "KeyboardInterrupt" in kinds:
        return TimeoutError("it did not end in time")
    known = (kind for kind in map(str, kinds) if kind.endswith("Error") or kind == "Exception")
    kind = getattr(builtins, next(known, "Exception"), Exception)
    error = kind(says if kinds[0] == kind.__name__ else f"{kinds[0]}: {says}")
    error.told = told(kinds[0], where, says)
    return error


class Client(NotebookClient):
    """nbclient, which stops listening to a notebook that prints without end, and asks it."""

    printed = 0

    def process_message(self, msg, cell, cell_index):
        """Keep an output, as long as there are not too many."""
        if msg["msg_type"] in ("stream", "display_data", "execute_result", "error"):
            self.printed += len(json.dumps(msg["content"], default=str))
            if self.printed > PRINTED:
                return None
        return super().process_message(msg, cell, cell_index)

    async def async_answer(self, code, expressions):
        """Execute code; return what the expressions have become."""
        sent = self.kc.execute(code, silent=True, store_history=False, user_expressions=expressions)
        for second in range(2 * int(self.timeout)):
            if second == int(self.timeout):
                await self.km.interrupt_kernel()  # it ends, and the cells that follow can run
            with contextlib.suppress(Empty):
                reply = await self.kc.shell_channel.get_msg(timeout=1)
                if reply["parent_header"].get("msg_id") == sent:
                    return reply["content"].get("user_expressions")
            if not await self.km.is_alive():
                break
        raise RuntimeError("no answer")

    answer = run_sync(async_answer)

    def ask(self, expression, **values):
        """Evaluate an expression among the notebook's names and these; return or raise as it."""
        question = io.BytesIO()
        _Pickler(question).dump((expression, values))
        question = base64.b64encode(question.getvalue()).decode()
        try:
            found = self.answer("", {"a": f"__answers__({question!r})"})
            text = found["a"]["data"]["text/plain"]
            answer = json.loads(ast.literal_eval(text)) if len(text) < ANSWER else None
            if "is" in answer:
                return decoded(self.ask, answer["is"])
            error = raised(answer["error"], answer["says"], answer["where"])
        except Exception as problem:  # it answers nonsense, or nothing
            error = RuntimeError(f"gave no answer: {type(problem).__name__}")
        raise error


def free_names(code):
    """Return the names that a piece of code, and the functions in it, look up."""
    inner = (free_names(c) for c in code.co_consts if hasattr(c, "co_names"))
    return set(code.co_names).union(*inner)


def test(source, ask):
    """Run a test cell here; return None, or a sentence on what is wrong."""
    code = compile(source, "<test>", "exec")
    names = {"__name__": "__main__", "there": ask}
    try:
        for name in sorted(free_names(code) - set(dir(builtins)) - {"there"}):
            with contextlib.suppress(NameError):
                names[name] = ask(name)
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            exec(code, names)
    except AssertionError as error:
        return str(error) or "the part of the test that you see fails"
    except NotImplementedError:
        return "nothing was handed in for this"
    except Exception as error:
        if isinstance(error, NameError) and error.name:  # of the test, not of what it called
            return f"{error.name} is not there: was its cell left open, or did it stop?"
        said = getattr(error, "told", None) or told(type(error).__name__, "", error)
        return f"your code stopped with {said}"
    finally:
        for value in names.values():
            if isinstance(value, np.lib.npyio.NpzFile):
                value.close()
    return None


def tests_of(source):
    """Return the code of each test of an instructor's notebook, by name."""
    return {metadata(cell).grade_id: cell.source for cell in source.cells
            if metadata(cell).get("grade") and cell.cell_type == "code"}  # fmt: skip


def run(notebook, tests, data, sandbox=None, timeout=60):
    """Run a notebook beside its data, and after each of its test cells the whole test.

    ``tests`` has the source of each test, hidden part included, by name; ``data`` are files;
    ``sandbox`` is "bwrap", "none", or None for the instructor's own notebook, which gets its
    outputs. Return a sentence for each test that is not passed, and what else one should know.
    """
    failed, notes = dict.fromkeys(tests, "the notebook had ended before this"), []
    with place(data) as folder, place(data) as beside, contextlib.chdir(beside), Watch() as watch:
        client = Client(notebook, km=kernel(folder, sandbox), timeout=timeout, allow_errors=True,
                        interrupt_on_timeout=True, iopub_timeout=timeout, startup_timeout=SECONDS,
                        resources={"metadata": {"path": str(folder)}})  # fmt: skip
        try:
            with client.setup_kernel(cleanup_kc=True):
                client.answer(ANSWERS, {})
                for i, cell in enumerate(notebook.cells):
                    client.execute_cell(cell, i)
                    if (name := metadata(cell).get("grade_id")) in tests:
                        failed[name] = test(tests[name], client.ask)
        except Exception:  # also where it sends what no kernel sends
            notes.append(watch.reason or "its kernel died")
    return {name: wrong for name, wrong in failed.items() if wrong}, notes
