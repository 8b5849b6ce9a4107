"""All commands by section, and how one is run."""

from __future__ import annotations

import os
from collections.abc import Sequence

import click

from knowledge import __version__
from knowledge.errors import UsageError
from knowledge.surfaces.cli.failures import INTERRUPTED
from knowledge.surfaces.cli.news_line import tell_news
from knowledge.surfaces.cli.settings import Settings
from knowledge.surfaces.cli.verb import COMPLETION, Branch, Entry, LazyGroup

SECTIONS: dict[str, dict[str, Entry | Branch]] = {
    "Set up": {
        "init": Entry("Set up here: read the repository, make the ledger, install git hooks", "setup", "InitAnswer"),
        "index": Entry("Read a revision or the files as they are into the index", "setup", "IndexAnswer"),
        "reconcile": Entry("Bring all statuses up to date with git, and say what changed", "setup", "ReconcileAnswer"),
        "hooks": Branch(
            "Git hooks: they make the index early, nothing more",
            {
                "install": Entry("Install the git hooks beside whatever is there", "hooks", "HooksAnswer"),
                "remove": Entry("Take the git hooks out again", "hooks", "HooksAnswer"),
                "status": Entry("Whether the hooks are there, run, and succeed", "hooks", "HooksAnswer"),
            },
        ),
        "doctor": Entry("Check everything that may be wrong with the store, git and the hooks", "setup", "DoctorAnswer"),
        "uninit": Entry("Remove hooks and index, and on request the claims", "setup", "TransferAnswer"),
        "completion": Entry("Print the completion script for a shell", "completion", "CompletionAnswer"),
    },
    "Claims": {
        "status": Entry("The state of the store for this worktree, at a glance", "status", "StatusAnswer"),
        "recall": Entry("What is remembered that bears on a text", "recall", "RecallAnswer"),
        "stale": Entry("Claims that must be looked at again, grouped by cause", "stale", "StaleAnswer"),
        "reverify": Entry("Decide by itself what can be decided, and list what is left to look at", "judging", "ReverifyAnswer"),
        "diff": Entry("What a branch would make of the claims, before it is merged", "judging", "DifferenceAnswer"),
        "claim": Branch(
            "Record claims, look at them, say what became of them",
            {
                "record": Entry("Record a claim, with the anchors it stands on", "claim_writing", "ClaimAnswer"),
                "propose": Entry("Show what a statement would stand on; nothing is stored", "claim_writing", "ClaimAnswer"),
                "show": Entry("A claim with all it stands on", "claim_reading", "ClaimAnswer"),
                "list": Entry("Claims and their statuses", "claim_reading", "ClaimsAnswer"),
                "check": Entry("Whether a predicate holds in a tree; nothing is stored", "judging", "CheckAnswer"),
                "history": Entry("Everything that happened to a claim", "claim_reading", "HistoryAnswer"),
                "why": Entry("Why a claim has the status it has, and what would have to be checked", "claim_reading", "WhyAnswer"),
                "verify": Entry("You looked: the claim holds here", "claim_steps", "ClaimAnswer", "StepsAnswer"),
                "review": Entry("You looked and cannot say", "claim_steps", "ClaimAnswer", "StepsAnswer"),
                "reject": Entry("The claim is false, on every tree", "claim_steps", "ClaimAnswer", "StepsAnswer"),
                "correct": Entry("Put a better claim in its place", "claim_writing", "ClaimAnswer"),
                "supersede": Entry("Another claim takes its place", "claim_steps", "ClaimAnswer"),
                "relate": Entry("Say that one claim supports another", "conflicts", "ClaimAnswer"),
                "reopen": Entry("Take back a rejection, a withdrawal, a replacement", "claim_steps", "ClaimAnswer"),
                "withdraw": Entry("It should not have been claimed", "claim_steps", "ClaimAnswer", "StepsAnswer"),
                "drop-premise": Entry("It does not rest on that claim after all", "claim_steps", "ClaimAnswer"),
                "redact": Entry("Erase the text for good; id and history stay", "claim_steps", "ClaimAnswer"),
            },
        ),
        "conflicts": Branch(
            "Claims that contradict one another, both kept (alone: list)",
            {
                "list": Entry("Conflicts that are open: both claims, their statuses here, and why", "conflicts", "ConflictsAnswer"),
                "report": Entry("You saw it: these two claims cannot both be so", "conflicts", "ConflictsAnswer"),
                "resolve": Entry("Say which of the two is stale, and learn why they differ", "conflicts", "ConflictsAnswer"),
            },
            default="list",
        ),
        "decisions": Branch(
            "What was decided, with constraints and rejected alternatives (alone: list)",
            {
                "list": Entry("Decisions in play: what bound them, what was rejected and why", "decisions", "DecisionsAnswer"),
                "read": Entry("Record the decisions that commit messages tell", "decisions", "DecisionsAnswer"),
            },
            default="list",
        ),
        "plan": Branch(
            "Goals and steps that depend on claims (alone: show)",
            {
                "show": Entry("Goals and their steps: what is done, can be begun, waits, or was touched by a change", "plan", "PlanAnswer"),
                "add": Entry("Add a goal, or a step towards one", "plan", "ClaimAnswer"),
                "depend": Entry("Say that a goal or step depends on a claim", "plan", "PlanAnswer"),
                "drop": Entry("Say that a goal or step does not depend on a claim after all", "plan", "PlanAnswer"),
                "done": Entry("Say that a step is done, or a goal reached", "plan", "PlanAnswer"),
                "reopen": Entry("Say that it is not done after all", "plan", "PlanAnswer"),
            },
            default="show",
        ),
        "tags": Branch(
            "The tags of claims, and the vocabulary they are out of (alone: list)",
            {
                "list": Entry("Tags in use, and where the vocabulary drifts apart", "tags", "TagsAnswer"),
                "migrate": Entry("Bring the tags of claims to the vocabulary: first a plan, then what the plan says", "tags", "MigrationAnswer"),
            },
            default="list",
        ),
        "memories": Branch(
            "What was remembered elsewhere (alone: read)",
            {"read": Entry("Take in what is already remembered, and say how much of it still holds", "memories", "MemoriesAnswer")},
            default="read",
        ),
        "evidence": Branch(
            "What claims rest on",
            {
                "show": Entry("A piece of evidence, and what it can and cannot show", "evidence", "EvidenceLine"),
                "recheck": Entry("Whether a piece of evidence is still to be found", "evidence", "RecheckAnswer"),
            },
        ),
        "context": Entry("What bears on a goal: what not to rely on, what to verify, what is known, files, symbols", "context", "ContextPack"),
    },
    "Code": {
        "callers": Entry("What calls a symbol", "questions", "GraphAnswer"),
        "callees": Entry("What a symbol calls", "questions", "GraphAnswer"),
        "subclasses": Entry("What inherits from a class or implements an interface", "questions", "GraphAnswer"),
        "implementers": Entry("What implements a type, or overrides a method", "questions", "GraphAnswer"),
        "importers": Entry("What imports a file or module", "questions", "GraphAnswer"),
        "imports": Entry("What a file or module imports", "questions", "GraphAnswer"),
        "readers": Entry("What reads a constant, attribute or configuration key", "questions", "GraphAnswer"),
        "writers": Entry("What writes a constant, attribute or configuration key", "questions", "GraphAnswer"),
        "tests": Branch(
            "Which tests exercise a symbol (alone with SYMBOL: of)",
            {
                "of": Entry("Which tests exercise a symbol, or the path from it to OTHER", "questions", "GraphAnswer"),
                "affected": Entry("Which tests must run again, each with the reason", "testing", "AffectedAnswer"),
            },
            default="of",
            has_argument=True,
        ),
        "impact": Entry("Whom to check when a symbol changes", "questions", "GraphAnswer"),
        "path": Entry("How one symbol reaches another", "questions", "GraphAnswer"),
        "explain": Entry("The story of a symbol from route to trace, each step with how it is known", "story", "StoryAnswer"),
        "unseen": Entry("Calls that the code shows and that no run took", "questions", "GraphAnswer"),
        "unfound": Entry("Calls that a run took and that reading the code does not show", "questions", "GraphAnswer"),
        "unreferenced": Entry("Definitions that nothing was found to use", "questions", "GraphAnswer"),
        "analysis": Branch(
            "What other programs say of the code, beside the built-in answers (alone: list)",
            {
                "list": Entry("What other programs said of the code, and how much of it is present", "analysis", "AnalysesAnswer"),
                "scip": Entry("Take in a SCIP index, as scip-python, scip-typescript and others write it", "analysis", "AnalysesAnswer"),
                "pyrefly": Entry("Run the type checker pyrefly over the Python files, and take in what it says", "analysis", "AnalysesAnswer"),
                "withdraw": Entry("Let an analysis answer no more", "analysis", "AnalysesAnswer"),
            },
            default="list",
        ),
        "graph": Branch("The code graph as a whole", {"export": Entry("Write the code graph to a file", "graph", "TransferAnswer")}),
    },
    "Agents": {
        "mcp": Entry("Serve agents over MCP, on standard input and output", "agents", ""),
        "trigger": Branch(
            "Rows that put a memory in the way of a call (alone: list)",
            {
                "list": Entry("Rows that put a memory in the way of a call, and those that wait for a person", "trigger", "TriggersAnswer"),
                "show": Entry("A row, its examples, and what became of it", "trigger", "TriggersAnswer"),
                "add": Entry("Draft rows from a JSON file; a person approves them", "trigger", "TriggersAnswer"),
                "test": Entry("Which rows a call would hit, and what an agent would be given", "trigger", "TriggerTestAnswer"),
                "replay": Entry("What a row would have hit among the calls that were logged", "trigger", "TriggerTestAnswer"),
                "approve": Entry("A person says that a row is held against calls from now on", "trigger", "TriggersAnswer"),
                "hold": Entry("A person says that a draft waits", "trigger", "TriggersAnswer"),
                "dismiss": Entry("A person says that a draft becomes no row", "trigger", "TriggersAnswer"),
                "merge": Entry("A person says that a draft is of the same thing as an approved row", "trigger", "TriggersAnswer"),
                "causes": Entry("What persons made of the drafts of each cause", "trigger", "TriggerCausesAnswer"),
                "disable": Entry("Hold a row against no call any more", "trigger", "TriggersAnswer"),
                "token": Entry("Make a token with which a person decides where there is no terminal", "trigger", ""),
            },
            default="list",
        ),
        "audit": Entry("What came of every moment at which memory could have come by itself", "trigger", "AuditAnswer"),
        "gateway": Entry("Stand before another MCP server, and put memories before its calls", "gateway", ""),
        "session": Branch(
            "Sessions of agents: which are not to be remembered",
            {
                "off-record": Entry("Record nothing of a session and push nothing to it", "gateway", "SessionAnswer"),
                "on-record": Entry("Remember a session again, and tell it what is remembered", "gateway", "SessionAnswer"),
            },
        ),
        "push": Branch(
            "Whether memories come to agents by themselves",
            {
                "on": Entry("Let memories come to agents by themselves", "agents", "PushAnswer"),
                "off": Entry("Say nothing to agents by itself, whatever hooks are there", "agents", "PushAnswer"),
            },
        ),
        "setup": Entry("Tell an agent's program about this server, and when to ask and record", "agents", "SetupAnswer"),
    },
    "Runs": {
        "run": Entry("Run a command and record what was seen", "running", "RunAnswer"),
        "runs": Branch(
            "What was run (alone: list)",
            {
                "list": Entry("Runs that were recorded, newest first", "running", "RunsAnswer"),
                "show": Entry("A run with its environment, and the tests of it that are worth a look", "running", "RunAnswer"),
                "import": Entry(
                    "Take in what was seen of a run elsewhere: coverage, traces, reports of tests and of static checkers", "running", "RunAnswer"
                ),
            },
            default="list",
        ),
        "gate": Entry("Before work is called done: what stands against it, line by line", "running", "GateAnswer"),
    },
    "Carry": {
        "export": Entry("Write all claims, evidence and history as JSON lines", "transfer", "TransferAnswer"),
        "import": Entry("Take in what `export` wrote; what is there already stays", "transfer", "TransferAnswer"),
    },
}
SUMMARY = "Claims about a repository that know when they are no longer true."


def root() -> LazyGroup:
    """The command `knowledge`."""
    group = LazyGroup("knowledge", SECTIONS, SUMMARY)
    group.params.append(
        click.Option(["--version"], is_flag=True, is_eager=True, expose_value=False, callback=_write_version, help="Print the version.")
    )
    return group


def run(words: Sequence[str]) -> int:
    """Run a command line. Raises KnowledgeError for everything that the person can put right."""
    command = root()
    if COMPLETION in os.environ:
        command.main(prog_name="knowledge", complete_var=COMPLETION)  # answers the shell, and exits
    try:
        # Not `command.main`: it would end the process itself when the reader of our output goes away.
        with command.make_context("knowledge", list(words), obj=Settings()) as context:
            code = command.invoke(context)
            # `stale` has just told all of it; `status` tells it by itself.
            tell_news(context.ensure_object(Settings), is_shown=context.invoked_subcommand in ("stale", "status"))
    except click.exceptions.NoArgsIsHelpError as asked:
        asked.show()
        return asked.exit_code
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.Abort:
        return INTERRUPTED
    except click.UsageError as wrong:
        raise _usage_error(wrong) from wrong
    except click.ClickException as failure:
        raise UsageError(failure.format_message()) from failure
    return int(code or 0)


def _usage_error(wrong: click.UsageError) -> UsageError:
    message = wrong.format_message().rstrip(".").strip()
    # click would put its guesses into the message; they are suggestions here.
    guesses = tuple(getattr(wrong, "possibilities", None) or ())
    if isinstance(wrong, click.NoSuchOption):
        message = f"there is no option {wrong.option_name}"
    if wrong.ctx is not None:
        message += f"; see `{wrong.ctx.command_path} --help`"
    return UsageError(message, suggestions=guesses)


def _write_version(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        click.echo(f"knowledge {__version__}")
        context.exit()
