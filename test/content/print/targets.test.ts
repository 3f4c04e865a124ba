import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { scriptsOf, specialCharacters } from '../../../src/content/print/scripts.ts'
import { printTargets } from '../../../src/content/print/targets.ts'
import { atOnce } from '../../../src/lib/slices.ts'

const { link, include, imageBlob } = printTargets({
  root: 'docs/',
  pages: [
    { id: 'home', filePath: 'docs/README.md' },
    { id: 'guide', filePath: 'docs/guide/README.md' },
    { id: 'odd', filePath: 'docs/guide/a b.md' },
    { id: 'bare', filePath: undefined },
    { id: 'asked', filePath: 'docs/x.md', otherPaths: ['guide/start', 'guide/17'] },
  ],
  includes: new Map([['docs/.gitbook/includes/note.md', 'Note.']]),
  images: new Map([['docs/.gitbook/assets/a.png', 'blob']]),
})

test('a link resolves to a printed page, a web address or nothing', () => {
  const from = 'docs/guide/README.md'
  const page = (id: string, anchor?: string) => ({ page: id, ...(anchor && { anchor }) })
  assert.equal(link(from, '../README.md'), page('home'))
  assert.equal(link(from, '/README.md#top'), page('home', 'top'))
  assert.equal(link('docs/README.md', 'guide/'), page('guide'))
  assert.equal(link('docs/README.md', 'guide'), page('guide'))
  assert.equal(link(from, 'a%20b.md#x'), page('odd', 'x'))
  assert.equal(link(from, '#here'), page('guide', 'here'))
  assert.equal(link(from, 'start#x'), page('asked', 'x'))
  assert.equal(link(from, '/guide/start/'), page('asked'))
  assert.equal(link(from, '17'), page('asked'))
  assert.equal(link(undefined, 'guide'), page('guide'))
  assert.equal(link(from, 'https://example.org/a?b#c'), { url: 'https://example.org/a?b#c' })
  assert.equal(link(from, 'mailto:a@example.org'), { url: 'mailto:a@example.org' })

  for (const target of [
    'javascript:x',
    'file:///etc/passwd',
    'data:text/html,x',
    '//host/a',
    '../../x',
    '',
    'gone.md',
  ])
    assert.is(link(from, target), undefined, target)
})

test('images and reusable content resolve to files of the space', () => {
  assert.is(imageBlob('docs/guide/README.md', '../.gitbook/assets/a.png'), 'blob')
  assert.is(imageBlob('docs/.gitbook/includes/note.md', '../assets/a.png'), 'blob')

  for (const target of [
    'https://example.org/a.png',
    'file:///docs/.gitbook/assets/a.png',
    '../../etc/a.png',
  ])
    assert.is(imageBlob('docs/README.md', target), undefined, target)

  assert.equal(include('docs/guide/README.md', '../.gitbook/includes/note.md'), {
    path: 'docs/.gitbook/includes/note.md',
    markdown: 'Note.',
  })
  assert.is(include('docs/guide/README.md', 'note.md'), undefined)
})

test('characters that need an additional font are found once and named by their script', () => {
  const found = atOnce(specialCharacters(['Plain ελ Прив — ✓', 'ไทย 한 你你好 😀 カ', 'ไ']))
  assert.equal([...found], ['ไ', 'ท', 'ย', '한', '你', '好', '😀', 'カ'])
  assert.equal(scriptsOf(found), ['Han', 'Hangul', 'Katakana', 'Thai', 'emoji'])
  assert.equal(scriptsOf(['𐌰']), ['other scripts'])
})

test.run()
