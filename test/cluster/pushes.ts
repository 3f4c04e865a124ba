import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { commitFiles, git, tryGit } from '../crash/clients/git.ts'
import { remoteOf } from '../support/git/client.ts'
import { fresh, patienceMs, pauseMs, type Writing } from './writing.ts'

/** Git gives up a node that is silent. */
const impatient = ['-c', 'http.lowSpeedLimit=1', '-c', 'http.lowSpeedTime=3'] as const

async function cloneOf(folder: string, space: string): Promise<string> {
  const dir = join(folder, `${space}.git`)
  if (existsSync(dir)) return dir
  mkdirSync(dir, { recursive: true })
  await git(dir, ['init', '--quiet', '--bare'])
  return dir
}

/**
 * Commits a page on top of a branch and pushes it, at one node after the other and on top of what others
 * have written meanwhile, until it is there. Returns the node that has it; undefined: none answered in
 * time.
 */
async function pushTo(
  { nodes, random, folder }: Writing,
  space: string,
  branch: string,
  token: string,
): Promise<string | undefined> {
  const clone = await cloneOf(folder, space)
  const ref = `refs/heads/${branch}`
  const until = performance.now() + patienceMs
  for (let turn = random.below(nodes.length); performance.now() < until; turn++) {
    const node = nodes[turn % nodes.length]!
    const remote = remoteOf(node.url, space, node.token)
    const at = (args: readonly string[]) => tryGit(clone, [...impatient, ...args])
    const fetched = await at(['fetch', '--quiet', remote, `+${ref}:${ref}`])
    if (fetched.code === 0) {
      // An earlier push without an answer may have been carried out.
      const isThere = await at(['cat-file', '-e', `${ref}:${token}.md`])
      if (isThere.code === 0) return node.name
      const { stdout } = await at(['show', `${ref}:SUMMARY.md`])
      const summary = stdout || '# Table of contents\n\n'
      const commit = await commitFiles(clone, branch, {
        [`${token}.md`]: `# ${token}\n`,
        'SUMMARY.md': `${summary.trimEnd()}\n* [${token}](${token}.md)\n`,
      })
      const pushed = await at(['push', '--quiet', remote, `${commit}:${ref}`])
      if (pushed.code === 0) return node.name
    }
    await setTimeout(pauseMs)
  }
  return undefined
}

/** Pushes a page to the primary content of a space. */
export async function pushPage(writing: Writing, space: string): Promise<void> {
  const token = fresh('pushed')
  const begun = performance.now()
  const node = await pushTo(writing, space, 'main', token)
  writing.written.push({
    space,
    token,
    kind: 'pushed page',
    begun,
    at: performance.now(),
    node: node ?? '',
    outcome: node ? 'acknowledged' : 'unknown',
  })
}
