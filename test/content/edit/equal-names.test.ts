import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { edit, from, idAt, refusal } from '../../support/content.ts'

const content = from({
  'README.md': '# Home\n',
  'api/setup.md': '# API\n',
  'cli/setup.md': '# CLI\n',
  'SUMMARY.md': '* [Home](README.md)\n* [API](api/setup.md)\n* [CLI](cli/setup.md)\n',
})

test('a new page with a name that other pages share gets a name of its own, and theirs stay', () => {
  const { after } = edit(content, { operation: 'insert_page', title: 'Setup', document: {} })
  const paths = [...after.tree.pageByFile].map(([file, { path }]) => `${file} = ${path}`)
  assert.equal(paths, [
    'README.md = readme',
    'api/setup.md = api-setup',
    'cli/setup.md = cli-setup',
    'setup-1.md = setup-1',
  ])
})

test('a slug that other pages share is refused', () => {
  assert.throws(
    () => edit(content, { operation: 'insert_page', title: 'New', slug: 'setup', document: {} }),
    /already has the slug "setup"/,
  )
})

test('a page called Readme below another one does not become the page of the folder', () => {
  const list = '* [Home](README.md)\n* [API](api.md)\n'
  const before = from({ 'README.md': '# Home\n', 'api.md': '# API\n', 'SUMMARY.md': list })
  const made = { operation: 'insert_page', document: {}, into: idAt(before, 'api') } as const
  const { after } = edit(before, { ...made, title: 'Readme' })

  assert.is(after.tree.pageByFile.get('api/readme-1.md')?.path, 'api/readme-1')
  for (const slug of ['readme', 'README', 'ReadMe'])
    assert.match(refusal(() => edit(before, { ...made, title: 'A', slug })).message, /"slug"/)
})

test.run()
