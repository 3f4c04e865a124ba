import { Unexpected } from './caller.ts'
import { git } from './git.ts'
import { commitStream } from './plumbing.ts'
import type { Page, Space } from './space.ts'
import { repositoryOf, type Stemma } from './stemma.ts'

let edits = 0

/** The text of a page with a new line appended. */
async function nextText({ caller }: Stemma, space: Space, page: Page): Promise<string> {
  const { markdown } = await caller.json('GET', `${space.path}/content/page/${page.id}`)
  edits += 1
  return `${markdown}\nEdit number ${edits}.\n`
}

const bodyOf = (page: Page, markdown: string) => ({
  changes: [{ operation: 'update_page', page: page.id, document: { markdown } }],
})

/**
 * Edits one page of the primary content. Returns the milliseconds. Throws if the edit made no new
 * revision.
 */
export async function editPrimary(stemma: Stemma, space: Space, page: Page): Promise<number> {
  const text = await nextText(stemma, space, page)
  const answer = await stemma.caller.call('POST', `${space.path}/content`, {
    body: bodyOf(page, text),
  })
  const { revision } = JSON.parse(answer.bytes.toString())
  if (!/^[0-9a-f]{40}$/.test(revision)) throw new Error(`An edit made the revision ${revision}.`)
  return answer.ms
}

/** Throws unless the last edit can be read through the API and from Git. */
export async function checkEdited(stemma: Stemma, space: Space, page: Page): Promise<void> {
  const { markdown } = await stemma.caller.json('GET', `${space.path}/content/page/${page.id}`)
  const held = await git(repositoryOf(stemma, space.id), ['cat-file', 'blob', `main:${page.file}`])
  if (held.toString() !== markdown || !markdown.includes(`Edit number ${edits}.`))
    throw new Error(`The last edit of ${page.file} is missing.`)
}

/** A change request; `path` is its path in the API. */
export type Change = { id: string; path: string; number: number }

/** Creates a change request without changes. */
export async function openChange({ caller }: Stemma, space: Space): Promise<Change> {
  const path = `${space.path}/change-requests`
  const { id, number } = await caller.json('POST', path, {
    body: { subject: 'Bench' },
    status: 201,
  })
  return { id, number, path: `${path}/${id}` }
}

/** Edits one page in a change request. Returns the milliseconds. */
export async function editChange(
  stemma: Stemma,
  space: Space,
  change: Change,
  page: Page,
): Promise<number> {
  const body = bodyOf(page, await nextText(stemma, space, page))
  const before = await stemma.caller.json('GET', change.path)
  const answer = await stemma.caller.call('POST', `${change.path}/content`, { body })
  if (JSON.parse(answer.bytes.toString()).revision === before.revision)
    throw new Error('An edit of a change request made no revision.')
  return answer.ms
}

/**
 * Creates a change request with one changed page, over HTTP, or with Git if the server lacks the
 * operation.
 */
export async function openChanged(stemma: Stemma, space: Space, page: Page): Promise<Change> {
  const change = await openChange(stemma, space)
  try {
    await editChange(stemma, space, change, page)
  } catch (error) {
    if (!isNotThere(error)) throw error
    const text = await nextText(stemma, space, page)
    const ref = `refs/heads/change-requests/${change.number}`
    const stream = commitStream(ref, `${ref}^0`, page.file, text)
    await git(repositoryOf(stemma, space.id), ['fast-import', '--quiet'], stream)
    // Makes the server record the push before the clock starts.
    await stemma.caller.json('GET', change.path)
  }

  return change
}

/** Merges a change request. Returns the milliseconds. Throws if it was not merged. */
export async function merge({ caller }: Stemma, { path }: Change): Promise<number> {
  const answer = await caller.call('POST', `${path}/merge`)
  const { result, revision } = JSON.parse(answer.bytes.toString())
  if (result !== 'merge' || !/^[0-9a-f]{40}$/.test(revision))
    throw new Error(`A merge gave ${result}.`)
  return answer.ms
}

/** Whether an error means that the server does not have this operation. */
export const isNotThere = (error: unknown): boolean =>
  error instanceof Unexpected &&
  error.status === 404 &&
  /There is no (?:operation )?POST/.test(error.message)
