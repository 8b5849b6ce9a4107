// Lets memories of this repository come by themselves. Written by `knowledge setup opencode`; `knowledge setup opencode --remove` takes it out.
import { spawn } from "node:child_process";

const WORDS = __WORDS__;
const MOST_MILLISECONDS = 10_000;

/** What is known about one moment; {} whatever goes wrong, for nothing here may stand in the way. */
function ask(event, payload) {
  return new Promise((resolve) => {
    const [program, ...words] = WORDS[event];
    let said = "";
    const child = spawn(program, words, { stdio: ["pipe", "pipe", "ignore"] });
    const timer = setTimeout(() => child.kill("SIGKILL"), MOST_MILLISECONDS);
    const end = () => {
      clearTimeout(timer);
      try {
        resolve(said ? JSON.parse(said) : {});
      } catch {
        resolve({});
      }
    };
    child.on("error", end);
    child.on("close", end);
    child.stdout.on("data", (part) => (said += part));
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify({ hook_event_name: event, ...payload }));
  });
}

export const Knowledge = async ({ directory }) => {
  const begun = new Set();
  const of = (session) => ({ session_id: session, cwd: directory });
  return {
    "chat.message": async (input, output) => {
      const texts = output.parts.filter((part) => part.type === "text" && !part.synthetic);
      const last = texts.at(-1);
      if (last === undefined) return;
      const said = [];
      if (!begun.has(input.sessionID)) {
        begun.add(input.sessionID);
        said.push((await ask("session.start", { ...of(input.sessionID), source: "startup" })).context);
      }
      const prompt = texts.map((part) => part.text).join("\n");
      said.push((await ask("chat.message", { ...of(input.sessionID), prompt })).context);
      const text = said.filter(Boolean).join("\n\n");
      // A part of its own, which the person did not write.
      if (text) output.parts.push({ ...last, id: `${last.id}k`, text, synthetic: true });
    },
    "tool.execute.before": async (input, output) => {
      const call = { tool_name: input.tool, tool_use_id: input.callID, tool_input: output.args };
      const { arguments: changed } = await ask("tool.execute.before", { ...of(input.sessionID), ...call });
      if (changed) Object.assign(output.args, changed);
    },
    "tool.execute.after": async (input, output) => {
      // A shell command that failed is a tool that did not.
      const answer = output.metadata?.exit ? { error: output.output } : { tool_response: output.output };
      const call = { tool_name: input.tool, tool_use_id: input.callID, tool_input: input.args ?? {}, ...answer };
      const { context } = await ask("tool.execute.after", { ...of(input.sessionID), ...call });
      if (context) output.output = `${output.output}\n\n${context}`;
    },
  };
};
