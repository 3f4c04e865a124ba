import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { changeSteps } from '../../../src/content/edit/apply.ts'
import { answersFrom, applyChanges } from '../../../src/content/edit/apply-in-memory.ts'
import type { Change } from '../../../src/content/edit/changes.ts'
import { answerTo, type LinkingBlob, type Request } from '../../../src/content/edit/requests.ts'
import type { ContentTree } from '../../../src/content/tree/build.ts'
import { blobId, type Content, edit, from, idAt, sourceOf, textOf } from '../../support/content.ts'

const count = 60
const pathOf = (i: number) => `page-${i}.md`
const idOf = (content: Content, i: number) => idAt(content, `page-${i}`)

/** Pages of which each tenth links to page 1. */
function pages(): Content {
  const numbers = Array.from({ length: count }, (_, i) => i)
  const texts = numbers.map(i => [
    pathOf(i),
    `# Page ${i}\n\n${i % 10 === 5 ? 'See [it](page-1.md).' : 'Text.'}\n`,
  ])
  const entries = numbers.map(i => `* [Page ${i}](${pathOf(i)})\n`)
  return from({ ...Object.fromEntries(texts), 'SUMMARY.md': `# Summary\n\n${entries.join('')}` })
}

const textEdit = (content: Content, i: number, more: Partial<Change> = {}): Change => ({
  operation: 'update_page',
  page: idOf(content, i),
  document: { markdown: `${textOf(content, pathOf(i))}\nMore.\n` },
  ...(more as object),
})

/**
 * Applies changes in memory. Returns each request with its answer, and blobs by the path of their
 * file.
 */
const requestsOf = (content: Content, ...changes: Change[]) =>
  requestsOn(content, content.tree, ...changes)

/** Does the same, with the tree of the revision that changes call "base". */
function requestsOn(content: Content, base: ContentTree, ...changes: Change[]) {
  const pathOfBlob = new Map<string, string>(
    [...content.files].map(([path, bytes]) => [blobId(bytes), path]),
  )
  const answering = answersFrom({ ...sourceOf(content), snapshots: new Map([['base', base]]) })
  const asked: { request: Request; answer: unknown }[] = []
  const steps = changeSteps(sourceOf(content), changes)
  let step = steps.next()

  while (!step.done) {
    const request = step.value
    const answer = request && answerTo(answering, request)
    if (request) asked.push({ request, answer })
    step = steps.next(answer)
  }

  const pathsIn = (oids: Iterable<string>) => [...oids].map(oid => pathOfBlob.get(oid)!)

  return { edits: step.value, asked, kinds: asked.map(({ request }) => request.ask), pathsIn }
}

test('an edit of the text of a page reads the file of the page and nothing else', () => {
  const content = pages()
  const { edits, asked, pathsIn } = requestsOf(content, textEdit(content, 7))
  assert.equal([...edits.files.keys()], ['page-7.md'])
  assert.ok(edits.tree)
  assert.equal(
    asked.map(({ request }) => request.ask === 'blobs' && pathsIn(request.oids)),
    [['page-7.md']],
  )
})

test('an edit of a page that is too large is refused because of its size', () => {
  const content = pages()
  const source = { ...sourceOf(content), blob: () => undefined }
  assert.throws(
    () => applyChanges(source, [textEdit(content, 7)]),
    /"page-7\.md" is too large to be edited here: change it with Git\./,
  )
})

test('an edit of icon or emoji reads the file of the page and nothing else', () => {
  const content = pages()
  for (const fields of [{ icon: 'book' }, { emoji: '🎉' }, { description: 'Words' }]) {
    const change: Change = { operation: 'update_page', page: idOf(content, 7), ...fields }
    const { edits, kinds } = requestsOf(content, change)
    assert.equal(kinds, ['blobs'])
    assert.is(edits.tree?.pageById.get(idOf(content, 7))?.emoji, fields.emoji)
  }
})

test('a page whose former text is restored within a batch has its former blob in the resulting tree', () => {
  const content = from({ 'a.md': '---\nicon: star\n---\n\n# A\n', 'b.md': '# B\n' })
  const update = (page: string, fields: object): Change => ({
    operation: 'update_page',
    page: idAt(content, page),
    ...fields,
  })
  const words = (text: string) => ({ document: { markdown: text } })
  const former = textOf(content, 'a.md')

  // `edit` compares the resulting tree with one that is built from the resulting files.
  for (const changes of [
    [
      update('a', { icon: 'moon' }),
      update('a', { icon: 'star' }),
      update('b', words('# B\n\nMore.\n')),
    ],
    [
      update('a', words('# A\n\nMore.\n')),
      update('b', { icon: 'moon' }),
      update('a', words(former)),
    ],
  ]) {
    const { edits, after } = edit(content, ...changes)
    assert.is(textOf(after, 'a.md'), former)
    assert.is(
      edits.tree?.pageByFile.get('a.md')?.file?.oid,
      content.tree.pageByFile.get('a.md')?.file?.oid,
    )
  }
})

test('the changes of a batch are read together', () => {
  const content = pages()
  const numbers = Array.from({ length: 50 }, (_, i) => i)
  const { edits, asked, kinds } = requestsOf(content, ...numbers.map(i => textEdit(content, i)))
  assert.is(edits.files.size, 50)
  assert.equal(kinds, ['blobs'])
  assert.is((asked[0]!.answer as Map<string, unknown>).size, 50)
  const based = numbers.map(i => textEdit(content, i, { baseRevision: 'base' }))
  assert.equal(requestsOf(content, ...based).kinds, ['snapshots', 'blobs'])
})

test('changes of the page tree read the list of files once', () => {
  const content = pages()
  const inserts = Array.from({ length: 20 }, (_, i): Change => {
    return { operation: 'insert_page', title: `New ${i}`, document: {} }
  })
  assert.equal(requestsOf(content, ...inserts).kinds, ['structure'])
})

test('a rename searches all other pages in one request and keeps only those with links', () => {
  const content = pages()
  const rename: Change = { operation: 'update_page', page: idOf(content, 1), slug: 'renamed' }
  const { edits, asked, kinds, pathsIn } = requestsOf(content, rename)
  const linking = [
    'page-5.md',
    'page-15.md',
    'page-25.md',
    'page-35.md',
    'page-45.md',
    'page-55.md',
  ]

  assert.equal(kinds, ['blobs', 'structure', 'links'])
  const [own, , search] = asked

  assert.equal(own!.request.ask === 'blobs' && pathsIn(own!.request.oids), ['page-1.md'])
  assert.ok(search!.request.ask === 'links')
  assert.equal(search!.request.to, ['page-1.md'])
  assert.is(new Set(search!.request.oids).size, count - 1)
  assert.equal(pathsIn((search!.answer as Map<string, LinkingBlob>).keys()), linking)
  assert.equal(
    [...edits.files.keys()].filter(path => path.startsWith('page-')).sort(),
    ['page-1.md', ...linking].sort(),
  )
})

test('a batch of renames and deletions searches the other pages once', () => {
  const content = pages()
  const renames = [1, 2, 3].map(
    (i): Change => ({ operation: 'update_page', page: idOf(content, i), slug: `renamed-${i}` }),
  )
  const deletion: Change = { operation: 'delete_page', page: idOf(content, 4), rewriteLinks: true }
  const { kinds } = requestsOf(content, ...renames, deletion)

  assert.equal(
    kinds.filter(kind => kind === 'links'),
    ['links'],
  )
})

test('a page that the batch itself inserts is renamed with the links to it', () => {
  const content = pages()
  const { edits } = requestsOf(
    content,
    { operation: 'insert_page', title: 'New', document: {}, ref: 'new' },
    {
      operation: 'update_page',
      page: idOf(content, 7),
      document: { markdown: '# Page 7\n\nSee [it](./new).\n' },
    },
    { operation: 'update_page', page: 'new', slug: 'newer' },
  )

  assert.match(Buffer.from(edits.files.get('page-7.md')!.bytes!).toString(), 'See [it](newer.md).')
})

test('an executable page stays executable if the list of files is read after its text was changed', () => {
  const content = pages()
  const files = content.input.files.map(file => {
    return file.path === 'page-7.md' ? { ...file, mode: '100755' } : file
  })
  const source = { ...sourceOf(content), input: { ...content.input, files } }
  const { files: edited } = applyChanges(source, [
    textEdit(content, 7),
    { operation: 'update_page', page: idOf(content, 7), slug: 'renamed' },
  ])

  assert.is(edited.get('renamed.md')?.mode, '100755')
})

test('links to pages that a batch reverts to other names are searched for once', () => {
  const content = pages()
  const ids = [1, 2, 3].map(i => idOf(content, i))
  const rename = (page: string, i: number): Change => ({
    operation: 'update_page',
    page,
    slug: `moved-${i}`,
  })
  const { after } = edit(content, ...ids.map(rename))
  const reverts = ids.map((page): Change => ({ operation: 'revert_page', page, revision: 'base' }))
  const { edits, kinds } = requestsOn(after, content.tree, ...reverts)

  assert.is(kinds.filter(kind => kind === 'links').length, 1)
  assert.ok(edits.files.has('page-1.md'))
})

test.run()
