import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { serveGit } from './git/git-server.ts'
import { parseTxtar } from './txtar.ts'

/**
 * Stories as text. The comment of the archive, before its files, is the story, line by line:
 *
 *     $ command      runs in a shell in $WORK and must succeed; indented lines continue it
 *     ! command      must fail
 *     ~ command      is repeated for up to a minute until it succeeds with the expected output
 *     > text         the output contains this, after the text of the line before; `...` matches anything within a line
 *     NAME = regexp  the output matches; the first group is $NAME from here on, also in `> text`
 *     anything else  is prose
 *
 * The shell has $URL and $TOKEN of a fresh server, its folder $DATA, the folder $WORK with the
 * files of the archive, $GITHOST and $REMOTES (the URL and the folder of a Git host), and four
 * commands: `stemma`, `api METHOD PATH [JSON]` for paths below /v1, `repo SPACE` for the path of a
 * space's repository, and `docs-job` of `hosting/`.
 */
export type Step = {
  line: number
  kind: '$' | '!' | '~'
  command: string
  expected: (({ text: string } | { name: string; pattern: string }) & { line: number })[]
}

/** Parses the steps of a story. Throws at an expectation without a command. */
export function parseStory(text: string): Step[] {
  const steps: Step[] = []
  let open = false
  for (const [index, line] of text.split('\n').entries()) {
    const number = index + 1
    const step = steps.at(-1)
    const start = /^([$!~]) (.*)$/.exec(line)
    const capture = /^([A-Z][A-Z0-9_]*) = (.+)$/.exec(line)

    if (start) {
      steps.push({
        line: number,
        kind: start[1] as Step['kind'],
        command: start[2] as string,
        expected: [],
      })
    } else if (open && /^\s+\S/.test(line) && step) step.command += `\n${line.trim()}`
    else if (line.startsWith('> ') || capture) {
      if (!step) throw new Error(`line ${number} has an expectation without a command`)
      step.expected.push(
        capture
          ? { line: number, name: capture[1] as string, pattern: capture[2] as string }
          : { line: number, text: line.slice(2) },
      )
    }

    open = start !== null || (open && /^\s+\S/.test(line))
  }

  return steps
}

type Run = { code: number; output: string }
type World = { env: Record<string, string>; stop: () => Promise<void> }

/** Plays a story against a fresh server. Throws at the first step that fails, with its output. */
export async function playStory(file: string): Promise<void> {
  const { comment, files } = parseTxtar(readFileSync(file, 'utf8'))
  const steps = parseStory(comment)
  const world = await startWorld(files)
  try {
    for (const step of steps) await play(file, step, world.env)
  } finally {
    await world.stop()
  }
}

async function play(file: string, step: Step, env: Record<string, string>): Promise<void> {
  const started = Date.now()
  const until = started + (step.kind === '~' ? 60_000 : 0)
  for (;;) {
    const run = await shell(step.command, env)
    const problem = judge(step, run, env)
    if (problem === undefined) return
    if (Date.now() >= until) {
      const said = run.output.slice(0, 4000)
      throw new Error(`${file}:${step.line}: ${step.command}\n${problem}\nIts output:\n${said}`)
    }
    await setTimeout(Math.max(100, (Date.now() - started) / 4))
  }
}

/**
 * Returns what is wrong with a run, or undefined; a run as expected sets its variables in `env`.
 */
function judge(step: Step, { code, output }: Run, env: Record<string, string>): string | undefined {
  if (step.kind === '!' ? code === 0 : code !== 0) return `It exited with ${code}.`
  const found: Record<string, string> = {}
  let at = 0

  for (const one of step.expected) {
    const named = 'name' in one
    const pattern = named
      ? new RegExp(one.pattern, 'm')
      : textPattern(one.text, { ...env, ...found })
    const match = pattern.exec(named ? output : output.slice(at))
    if (!match) return `Line ${one.line} expects ${named ? one.pattern : one.text}`
    if (named) found[one.name] = match[1] ?? match[0]
    else at += match.index + match[0].length
  }

  Object.assign(env, found)

  return undefined
}

function textPattern(text: string, env: Record<string, string>): RegExp {
  const filled = text.replace(/\$([A-Z][A-Z0-9_]*)/g, (whole, name: string) => env[name] ?? whole)
  const parts = filled.split('...').map(part => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(parts.join('[^\\n]*?'))
}

function shell(command: string, env: Record<string, string>): Promise<Run> {
  return new Promise(resolve => {
    const child = spawn('bash', ['-euo', 'pipefail', '-c', command], {
      cwd: env.WORK,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 120_000,
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk
      })

    child.on('close', code => resolve({ code: code ?? -1, output }))
  })
}

const token = 'stm_storystorystorystorystory'

const tools = {
  stemma: `exec "${process.execPath}" "${resolve('bin/stemma.js')}" "$@"`,
  api: `exec curl -sS --fail-with-body -X "$1" -H "Authorization: Bearer $TOKEN" \\
  \${3:+-H 'Content-Type: application/json' --data-binary "$3"} "$URL/v1$2"`,
  'docs-job': `exec "${resolve('hosting/docs-job.sh')}" "$@"`,
  repo: 'echo "$DATA/spaces/$(cut -c 1-2 <<< "$1")/$1.git"',
}

/** A server in its own process, a Git host, and the shell environment to reach them. */
async function startWorld(files: Record<string, string>): Promise<World> {
  const top = mkdtempSync(join(tmpdir(), 'stemma-story-'))
  const [work, data, remotes, bin] = ['work', 'data', 'remotes', 'bin'].map(name =>
    join(top, name),
  ) as [string, string, string, string]
  for (const folder of [work, remotes, bin]) mkdirSync(folder)

  for (const [name, text] of Object.entries(tools)) {
    writeFileSync(join(bin, name), `#!/usr/bin/env bash\n${text}\n`)
    chmodSync(join(bin, name), 0o755)
  }

  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(work, path)), { recursive: true })
    writeFileSync(join(work, path), text)
  }

  const host = await serveGit({ folder: remotes })
  const server = startServer(data)
  const stop = async () => {
    server.child.kill('SIGTERM')
    await server.ended
    await host.close()
    rmSync(top, { recursive: true, force: true })
  }

  const url = await server.listening.catch(async error => {
    await stop()
    throw error
  })

  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: work,
    LC_ALL: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Grace',
    GIT_AUTHOR_EMAIL: 'grace@example.org',
    GIT_COMMITTER_NAME: 'Grace',
    GIT_COMMITTER_EMAIL: 'grace@example.org',
    URL: url,
    TOKEN: token,
    DATA: data,
    WORK: work,
    GITHOST: host.origin,
    REMOTES: remotes,
    STEMMA_URL: url,
    STEMMA_TOKEN: token,
    STEMMA_DATA: data,
  }

  return { env, stop }
}

type Server = { child: ChildProcess; listening: Promise<string>; ended: Promise<void> }

function startServer(data: string): Server {
  const child = spawn(process.execPath, [resolve('bin/stemma.js'), 'serve'], {
    env: {
      PATH: process.env.PATH,
      STEMMA_DATA: data,
      PORT: '0',
      STEMMA_LOG: 'error',
      STEMMA_MANUAL: 'false',
      STEMMA_ADMIN_TOKEN: token,
      STEMMA_ALLOW_PRIVATE_REMOTES: 'true',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>(resolve => child.on('close', () => resolve()))
  const listening = new Promise<string>((resolve, reject) => {
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk
      const url = /listens on (http:\S+?),/.exec(output)?.[1]
      if (url) resolve(url)
    })
    child.on('close', () => reject(new Error(`the server exited before it listened: ${output}`)))
  })

  return { child, listening, ended }
}
