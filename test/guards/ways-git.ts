import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Actor } from '../support/app.ts'
import { type GitClient, openClient, remoteOf } from '../support/git/client.ts'
import { type Ground, must, type Try } from './ways-in.ts'

let counter = 0

/**
 * Clones the space as a user, commits a page with the text, and pushes it to a ref. Returns the
 * cell of the table.
 */
async function pushTo(
  { bench, id, text }: Ground,
  by: Actor,
  ref: string,
  start = 'main',
): Promise<string> {
  const client: GitClient = await openClient()
  try {
    await client.ok(['clone', '-q', remoteOf(bench.app.url, id, by.token), 'clone'])
    await client.ok(['checkout', '-q', start], { in: 'clone' })
    await writeFile(join(client.folder, 'clone', `pushed-${++counter}.md`), text)
    await client.ok(['add', '-A'], { in: 'clone' })
    await client.ok(['commit', '-q', '-m', 'Pushed'], { in: 'clone' })
    const { code } = await client.git(['push', '-q', 'origin', `HEAD:${ref}`], { in: 'clone' })
    return code === 0 ? 'ok' : 'refused'
  } finally {
    await client.remove()
  }
}

/** A way in by a push over HTTP to this ref. */
const pushOver =
  (ref: string) =>
  (ground: Ground): Try =>
  by =>
    pushTo(ground, by, ref)

/** A push to a branch that is not there yet. */
const pushNewBranch =
  (ground: Ground): Try =>
  by =>
    pushTo(ground, by, `refs/heads/new-${++counter}`)

/** A push to a change request of a member. */
const pushToRequest =
  (ground: Ground): Try =>
  async (by, author) => {
    const { number } = await must(author, `${ground.api}/change-requests`, { subject: 'X' })
    return pushTo(ground, by, `refs/heads/change-requests/${number}`, `change-requests/${number}`)
  }

/**
 * The caller pushes some of a change request, whatever its commits say, approves it and merges it.
 */
export const mergePushed =
  (ground: Ground): Try =>
  async (by, author) => {
    const { id, number } = await must(author, `${ground.api}/change-requests`, { subject: 'X' })
    const path = `${ground.api}/change-requests/${id}`
    const pushed = await pushTo(
      ground,
      by,
      `refs/heads/change-requests/${number}`,
      `change-requests/${number}`,
    )
    if (pushed !== 'ok') return pushed
    await must(by, `${path}/reviews`, { status: 'approved' })
    const { status } = await by.post(`${path}/merge`, {})

    return status < 300 ? 'ok' : String(status)
  }

/** A fetch brings nothing in. */
const fetchOver =
  ({ bench, id }: Ground): Try =>
  async by => {
    const client = await openClient()
    try {
      const { code } = await client.git(['ls-remote', remoteOf(bench.app.url, id, by.token)])
      return code === 0 ? 'ok' : 'refused'
    } finally {
      await client.remove()
    }
  }

/** The ways over Git's protocol. */
export const gitWays: Record<string, (ground: Ground) => Try> = {
  'git-fetch': fetchOver,
  'git-push-main': pushOver('refs/heads/main'),
  'git-push-for': pushOver('refs/for/main'),
  'git-push-request': pushToRequest,
  'git-push-branch': pushNewBranch,
}
