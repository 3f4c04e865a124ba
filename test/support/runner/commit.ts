import { execFileSync } from 'node:child_process'

/**
 * The first seven digits of the current commit's id as a number: it chooses the inputs of properties
 * and the share of the second ring. `TEST_SEED` stands for the commit of an earlier run; without Git
 * it is 0.
 */
export const commitNumber: number = process.env.TEST_SEED
  ? Number(process.env.TEST_SEED)
  : Number.parseInt(git('rev-parse', '--short=7', 'HEAD').slice(0, 7) || '0', 16)

/**
 * Returns the files that differ from main, or from the commit before if this is main's newest
 * commit, with those that Git does not know yet.
 */
export function changedFiles(): string[] {
  const base = git('merge-base', 'HEAD', 'main') || git('merge-base', 'HEAD', 'origin/main')
  const changed = (since: string) => lines(git('diff', '--name-only', since))
  const unknown = lines(git('ls-files', '--others', '--exclude-standard'))
  const found = [...changed(base || 'HEAD'), ...unknown]
  return found.length > 0 ? found : changed('HEAD~1')
}

const lines = (text: string): string[] => text.split('\n').filter(Boolean)

/** Returns what Git says, '' if it fails. */
function git(...args: string[]): string {
  try {
    const output = execFileSync('git', args, { stdio: ['ignore', 'pipe', 'ignore'] })
    return output.toString().trim()
  } catch {
    return ''
  }
}
