import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const start = promisify(execFile)

/** The largest output of a command, which is a list of files. */
const mostBytes = 256 * 1024 ** 2

/**
 * The settings with which Git would start a program, or use a transport, while it reads a work
 * tree.
 */
const quiet = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.pager=cat',
  'core.alternateRefsCommand=true',
]

/** Runs a Git command in a folder and returns what it prints. Rejects when it fails. */
type RunGit = (...args: string[]) => Promise<string>

/**
 * Returns a function that reads a folder of the user with git. Its `.git/config` may be the work of
 * another person, so Git starts no program that it names: no monitor, hook or filter, and no
 * transport for missing objects. This holds for commands that list files or read refs and the
 * status, not for those that show differences. A command that takes longer than `mostMs`
 * milliseconds fails; by default there is no limit.
 */
export async function gitIn(folder: string, mostMs = 0): Promise<RunGit> {
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_OPTIONAL_LOCKS: '0',
  }

  const run: RunGit = async (...args) => {
    const settings = quiet.flatMap(setting => ['-c', setting])
    const { stdout } = await start('git', ['--no-pager', ...settings, ...args], {
      cwd: folder,
      env,
      maxBuffer: mostBytes,
      timeout: mostMs,
    })
    return stdout
  }

  Object.assign(env, without(await listFilters(run)))

  return run
}

/**
 * Returns the names of the filters that the folder itself defines. Filters of the user's own
 * settings stay.
 */
async function listFilters(run: RunGit): Promise<Set<string>> {
  // Git exits with 1 when there is none.
  const listed = await run(
    'config',
    '--show-scope',
    '-z',
    '--name-only',
    '--get-regexp',
    '^filter\\.',
  ).catch(() => '')
  const names = new Set<string>()
  const fields = listed.split('\0')

  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = /^filter\.(.*)\.[^.]*$/s.exec(fields[at + 1] as string)?.[1]
    if (name !== undefined && (fields[at] === 'local' || fields[at] === 'worktree')) names.add(name)
  }

  return names
}

/**
 * Returns the variables that take the programs of filters away. An argument "-c" could not hold a
 * name with "=".
 */
function without(filters: ReadonlySet<string>): NodeJS.ProcessEnv {
  const before = Number(process.env.GIT_CONFIG_COUNT ?? 0)
  const settings = [...filters].flatMap(name => [
    [`filter.${name}.clean`, ''],
    [`filter.${name}.smudge`, ''],
    [`filter.${name}.process`, ''],
    [`filter.${name}.required`, 'false'],
  ])

  const numbered = settings.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${before + at}`, key],
    [`GIT_CONFIG_VALUE_${before + at}`, value],
  ])

  return settings.length === 0
    ? {}
    : { ...Object.fromEntries(numbered), GIT_CONFIG_COUNT: String(before + settings.length) }
}
