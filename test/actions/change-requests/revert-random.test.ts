import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readCommit } from '../../../src/git/objects/objects.ts'
import { makeSpace, type Space } from '../../api/change-requests/workbench.ts'
import { startApp } from '../../support/app.ts'
import { runs } from '../../support/long-run.ts'

const app = await startApp()
test.after(() => app.stop())

const names = ['a', 'b', 'c', 'd']
const name = fc.constantFrom(...names)
const words = fc.constantFrom('One.', 'Two.\n\nThree.', '* x\n* y', 'Ünï.')

/** A change of a page of the list, by its position, or a new page. */
const edit = fc.oneof(
  fc.record({ do: fc.constant('insert' as const), title: name, text: words, below: fc.nat(9) }),
  fc.record({ do: fc.constant('update' as const), at: fc.nat(9), text: words }),
  fc.record({ do: fc.constant('rename' as const), at: fc.nat(9), slug: name }),
  fc.record({ do: fc.constant('delete' as const), at: fc.nat(9) }),
)
type Edit = typeof edit extends fc.Arbitrary<infer Value> ? Value : never

type Page = { id: string; pages?: Page[] }
const allOf = (pages: Page[]): string[] =>
  pages.flatMap(({ id, pages = [] }) => [id, ...allOf(pages)])

const pagesAt = async (space: Space, at: string): Promise<Page[]> =>
  (await app.admin.get(`/v1/spaces/${space.id}/${at}/pages`)).body.pages

/** Makes those edits that are possible; each is a commit. */
async function apply(space: Space, at: string, edits: readonly Edit[]): Promise<void> {
  for (const edit of edits) {
    const ids = allOf(await pagesAt(space, at))
    const change = changeOf(edit, ids)
    if (!change) continue
    const { status, text } = await app.admin.post(`/v1/spaces/${space.id}/${at}`, {
      changes: [change],
    })
    assert.ok(
      [200, 400, 409].includes(status) && (edit.do !== 'insert' || status === 200),
      `${JSON.stringify(change)}: ${status} ${text}`,
    )
  }
}

function changeOf(edit: Edit, ids: readonly string[]): object | undefined {
  if (edit.do === 'insert') {
    const parent = ids[edit.below]
    return {
      operation: 'insert_page',
      title: edit.title,
      document: { markdown: edit.text },
      ...(parent !== undefined && { into: parent }),
    }
  }

  const page = ids[edit.at]
  if (page === undefined) return undefined
  if (edit.do === 'delete') return { operation: 'delete_page', page }
  if (edit.do === 'rename') return { operation: 'update_page', page, slug: edit.slug }
  return { operation: 'update_page', page, document: { markdown: edit.text } }
}

const idsOf = (pages: Page[]): unknown =>
  pages.map(page => {
    const { id, title, git, pages = [] } = page as Page & { title: string; git?: object }
    return { id, title, git, pages: idsOf(pages) }
  })

const treeOf = async (space: Space, oid: string) =>
  (await readCommit(space.repo, oid as never))!.tree

test('a revert of a merge of random edits restores the tree and the ids of its pages', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(edit, { maxLength: 6 }),
      fc.array(edit, { minLength: 1, maxLength: 6 }),
      async (before, merged) => {
        const space = await makeSpace(app)
        await apply(space, 'content', before)
        const old = (await space.head())!
        const pages = idsOf(await pagesAt(space, 'content'))
        const { body: request } = await app.admin.post(space.path, { subject: 'Random' })
        await apply(space, `change-requests/${request.number}/content`, merged)
        const path = `${space.path}/${request.number}`
        assert.is((await app.admin.post(`${path}/merge`)).body.result, 'merge')
        const head = (await space.head())!

        const { status, body } = await app.admin.post(`${path}/revert`)
        if ((await treeOf(space, head)) === (await treeOf(space, old))) {
          assert.is(status, 409)
          return
        }

        assert.is(body.result, 'revert', JSON.stringify(body))
        assert.is(await treeOf(space, body.revision), await treeOf(space, old))
        const at = `change-requests/${body.changeRequest.number}/content`
        assert.equal(idsOf(await pagesAt(space, at)), pages)

        const to = await app.admin.post(`/v1/spaces/${space.id}/content/revert`, { revision: old })
        assert.is(to.body.result, 'revert', to.text)
        assert.is(await treeOf(space, to.body.revision), await treeOf(space, old))
        const restored = `change-requests/${to.body.changeRequest.number}/content`
        assert.equal(idsOf(await pagesAt(space, restored)), pages)
      },
    ),
    { numRuns: runs(80) },
  )
})

test.run()
