import fc from 'fast-check'
import { processed } from '../api/openapi/host.ts'
import { makeSpace } from '../support/corpus/corpus.ts'
import { openSyncBench, type SyncBench } from '../support/git/remote.ts'
import {
  applyTemplate,
  ask,
  clash,
  edit,
  enterSpace,
  type Guest,
  insertion,
  open,
  pageAt,
  publish,
  readAll,
  sync,
  update,
} from './guest.ts'
import { type Details, sequences, texts } from './steps.ts'

const description = (word: string) =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: word, version: '1' },
    tags: [{ name: word }],
    paths: {
      '/pets': { get: { tags: [word], summary: word, responses: { 200: { description: word } } } },
    },
    components: { schemas: { Pet: { type: 'object', description: word } } },
  })

/** Opens a server with a private description and a space that guests may not read. */
async function openWorld(): Promise<SyncBench> {
  const bench = await openSyncBench()
  const { app } = bench
  for (const [slug, word] of [
    ['secret', 'Zebrafish'],
    ['shown', 'Common'],
  ] as const) {
    await app.admin.put(`/v1/orgs/acme/openapi/${slug}`, { source: { text: description(word) } })
    await processed(app, `/v1/orgs/acme/openapi/${slug}`)
  }

  await makeSpace(app, { 'README.md': '# Quokka\n\nQuokka\n' }, 'Quokka')

  return bench
}

const doers: Record<string, (guest: Guest, step: Details) => Promise<unknown>> = {
  insert: (guest, { place, slug, text }) => edit(guest, place, insertion(slug, text)),
  rename: (guest, { place, pick, slug }) =>
    change(guest, place, pick, { operation: 'update_page', slug, redirect: true }),
  write: (guest, { place, pick, text }) =>
    change(guest, place, pick, {
      operation: 'update_page',
      document: { markdown: texts[text] },
    }),
  delete: (guest, { place, pick }) => change(guest, place, pick, { operation: 'delete_page' }),
  revert: (guest, { place, pick, revision }) => {
    const { revisions } = guest
    const to = revisions[revision % Math.max(1, revisions.length)]
    return change(guest, place, pick, { operation: 'revert_page', ...(to && { revision: to }) })
  },
  open: (guest, { template }) => open(guest, template),
  template: (guest, { place }) => applyTemplate(guest, place),
  update: (guest, { request, setting, text, side }) =>
    update(guest, request, setting, { text, side }),
  merge: async (guest, { request }) => {
    const path = guest.requests[request % Math.max(1, guest.requests.length)]
    if (path) await ask(guest, 'POST', `${path}/merge`, {})
  },
  import: (guest, { commits, force, standalone }) =>
    sync(guest, 'import', { ...publish(guest, commits), force, standalone }),
  export: guest => sync(guest, 'export', { ...publish(guest, []), commitMessage: 'Out' }),
  clash: (guest, { setting, text }) => clash(guest, setting, text),
}

async function change(
  guest: Guest,
  place: number | null,
  pick: number,
  what: object,
): Promise<void> {
  const page = await pageAt(guest, place, pick)
  if (page) await edit(guest, place, { ...what, page })
}

/**
 * Plays random sequences of calls by a guest who may edit one space. Throws with the sequence if a
 * response to the guest contains a marked word of a private description or of another space.
 * Returns the number of checked responses.
 */
export async function playGuest({ runs, seed }: { runs: number; seed?: number }): Promise<number> {
  const bench = await openWorld()
  let answers = 0
  try {
    await fc.assert(
      fc.asyncProperty(sequences, async steps => {
        const guest = await enterSpace(bench)
        for (const step of steps) await doers[step.do]!(guest, step as unknown as Details)
        await readAll(guest)
        answers += guest.answers
      }),
      { numRuns: runs, ...(seed !== undefined && { seed }) },
    )
  } finally {
    await bench.stop()
  }

  return answers
}
