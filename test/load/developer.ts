import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { git, tryGit } from '../crash/clients/git.ts'
import type { Random } from '../crash/random.ts'
import type { Subject } from './editors.ts'

export type Work = {
  pushes: number
  again: number
  /** The commits of proposals that were accepted, and of those that were not. */
  proposed: Set<string>
  refused: Set<string>
  upkeep: Map<string, number>
  problems: string[]
}

export const newWork = (): Work => ({
  pushes: 0,
  again: 0,
  proposed: new Set(),
  refused: new Set(),
  upkeep: new Map(),
  problems: [],
})

/**
 * Maintenance commands that a user may run. In a repository with preciousObjects, Git refuses those
 * that delete objects.
 */
const upkeep: [args: string[], mayFail: boolean][] = [
  [['gc', '--quiet'], true],
  [['gc', '--quiet', '--prune=now'], true],
  [['repack', '-a', '-d', '-q'], true],
  [['pack-refs', '--all'], false],
  [['repack', '-q'], false],
  [['prune-packed', '-q'], false],
]

type Developing = {
  random: Random
  fresh: () => string
  isOver: () => boolean
  /** Pushes some commits to refs/for/main, which is possible over HTTP alone. */
  proposes: boolean
}

/**
 * A developer with Git alone, who pushes commits to branches through a clone until `isOver` returns
 * true. The remote is a folder or a URL.
 */
export async function develop(
  remote: string,
  clone: string,
  subjects: readonly Subject[],
  { random, fresh, isOver, proposes }: Developing,
): Promise<Work> {
  const work = newWork()
  await git(join(clone, '..'), ['clone', '--quiet', remote, clone])

  // On a slow machine the first push may take long.
  for (
    let tries = 0;
    !isOver() || (work.pushes + work.proposed.size === 0 && tries < 10);
    tries++
  ) {
    const proposal = proposes && random.chance(0.3)
    const subject = proposal ? subjects[0]! : random.pick(subjects)
    const token = fresh()
    const name = `${token}.md`

    await git(clone, ['fetch', '--quiet', 'origin'])
    await git(clone, [
      'checkout',
      '--quiet',
      '--detach',
      `origin/${subject.ref.slice('refs/heads/'.length)}`,
    ])
    writeFileSync(join(clone, name), `# By hand\n\n${token}\n`)
    await git(clone, ['add', name])
    await git(clone, ['commit', '--quiet', '-m', `Add ${token}`])

    if (proposal) {
      await propose(clone, work)
      subject.refused.add(token)
    } else if (await push(clone, subject, work, isOver)) subject.promised.add(token)
    else subject.refused.add(token)

    await pause(100)
  }

  return work
}

/** Pushes the checked-out commit to refs/for/main. Other writers do not make this fail. */
async function propose(clone: string, work: Work): Promise<void> {
  const commit = await git(clone, ['rev-parse', 'HEAD'])
  const { code, stderr } = await tryGit(clone, ['push', '--quiet', 'origin', 'HEAD:refs/for/main'])
  ;(code === 0 ? work.proposed : work.refused).add(commit)
  if (code !== 0) work.problems.push(`a proposal failed: ${stderr.trim().slice(0, 500)}`)
}

/** Pushes the checked-out branch, rebasing and retrying if the remote has moved. */
async function push(
  clone: string,
  { ref }: Subject,
  work: Work,
  isOver: () => boolean,
): Promise<boolean> {
  for (let tries = 0; tries < 30; tries++) {
    const { code, stderr } = await tryGit(clone, ['push', '--quiet', 'origin', `HEAD:${ref}`])
    if (code === 0) {
      work.pushes++
      return true
    }

    work.again++

    if (
      !/fetch first|non-fast-forward|cannot lock ref|failed to update ref|reference already|Too many concurrent/.test(
        stderr,
      )
    ) {
      work.problems.push(`git push failed: ${stderr.trim().slice(0, 500)}`)
      return false
    }

    if (isOver() && tries > 5) return false
    await git(clone, ['fetch', '--quiet', 'origin'])
    const { code: rebased, stderr: why } = await tryGit(clone, [
      'rebase',
      '--quiet',
      `origin/${ref.slice('refs/heads/'.length)}`,
    ])

    if (rebased !== 0) {
      work.problems.push(`git rebase failed: ${why.trim().slice(0, 500)}`)
      await tryGit(clone, ['rebase', '--abort'])
      return false
    }
  }
  return false
}

/** Runs Git's maintenance commands in the repository until `isOver` returns true. */
export async function keepHouse(
  dir: string,
  work: Work,
  random: Random,
  isOver: () => boolean,
): Promise<void> {
  while (!isOver()) {
    const [args, mayFail] = random.pick(upkeep)
    const { code, stderr } = await tryGit(dir, args)
    const name = `git ${args.join(' ')}`
    work.upkeep.set(name, (work.upkeep.get(name) ?? 0) + 1)
    // Two maintenance commands that run at the same time may refuse each other.
    if (code !== 0 && !mayFail && !/lock|File exists/i.test(stderr))
      work.problems.push(`${name} exited with ${code}: ${stderr.trim().slice(0, 300)}`)
    await pause(300)
  }
}

export const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))
