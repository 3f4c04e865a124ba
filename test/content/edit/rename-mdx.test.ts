import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { edit, from, textOf } from '../../support/content.ts'

test('links to an MDX page follow its rename, in each spelling, and the page keeps its id', () => {
  const links = '[a](guide/setup.mdx) [b](guide/setup) [c](./guide/setup.mdx#part)\n'
  const content = from({
    'README.md': `# Docs\n\n${links}`,
    'guide/setup.mdx': "import A from './a'\n\n# Setup\n\n[home](../README.md)\n",
    'guide/other.md': '[d](setup.mdx) [e](setup#x)\n',
  })
  const page = content.tree.pageByFile.get('guide/setup.mdx')
  assert.ok(page)
  assert.is(page.title, 'Setup')
  const { after } = edit(content, { operation: 'update_page', page: page.id, slug: 'start' })
  assert.is(after.tree.pageByFile.get('guide/start.mdx')?.id, page.id)
  assert.is(
    textOf(after, 'README.md'),
    '# Docs\n\n[a](guide/start.mdx) [b](guide/start) [c](./guide/start.mdx#part)\n',
  )
  assert.is(textOf(after, 'guide/other.md'), '[d](start.mdx) [e](start#x)\n')
})

test('the title of an MDX page is written into the heading below its imports', () => {
  const content = from({ 'README.md': '# Docs\n', 'a.mdx': "import A from './a'\n\n# Old\n" })
  const page = content.tree.pageByFile.get('a.mdx')
  assert.ok(page)
  const { after } = edit(content, { operation: 'update_page', page: page.id, title: 'New' })
  assert.is(textOf(after, 'a.mdx'), "import A from './a'\n\n# New\n")
})

test.run()
