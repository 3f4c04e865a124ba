import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Change } from '../../../src/content/edit/changes.ts'
import { findLinks } from '../../../src/content/links/find.ts'
import { decode } from '../../../src/content/text/bytes.ts'
import { type Content, edit, from, idAt, refusal, textOf } from '../../support/content.ts'
import { runs } from '../../support/long-run.ts'

const summary = (...lines: string[]) =>
  `# Table of contents\n\n${lines.map(line => `${line}\n`).join('')}`

/** A page with every form of link to `guides/install.md` and its anchors. */
const linked = `---
cover: ../guides/install.md
---

# Links

[Install](../guides/install.md) and [a part](../guides/install.md#ports "Title"), [bare](<../guides/install.md>),
[install.md](../guides/install.md), [x](../guides/install.md "mention"), ![*Picture*](../guides/install.md), [**bold**](../guides/install).

{% content-ref url="../guides/install.md" %}
[install.md](../guides/install.md)
{% endcontent-ref %}

{% page-ref page="../guides/install.md" %}

<a href="../guides/install.md">Here</a> [by name][install] \`[code](../guides/install.md)\`

[install]: ../guides/install.md

| Cell |
| --- |
| [Install](../guides/install.md) and [other](../guides/upgrade.md) |
`

const docs = (more: Record<string, string> = {}) =>
  from({
    'README.md': '# Docs\n',
    'SUMMARY.md': summary(
      '* [Docs](README.md)',
      '* [Guides](guides/README.md)',
      '  * [Install](guides/install.md)',
      '  * [Upgrade](guides/upgrade.md)',
      '* [Links](other/links.md)',
      '* [Ports](guides/install.md#ports)',
    ),
    'guides/README.md': '# Guides\n',
    'guides/install.md': '# How to install\n\n[Upgrade](upgrade.md) [me](install.md#x)\n',
    'guides/upgrade.md': '# Upgrade\n',
    'other/links.md': linked,
    'unlisted.md': '[Install](guides/install.md)\r\n[Guides](guides/)\r\n',
    'other/same.md': '[install](install.md)\n',
    ...more,
  })

const touched = (before: Content, after: Content) =>
  [...new Set([...before.files.keys(), ...after.files.keys()])]
    .filter(path => textOf(before, path) !== textOf(after, path))
    .sort()

const removing = (content: Content, path: string, options: object = {}) =>
  edit(content, { operation: 'delete_page', page: idAt(content, path), ...options } as Change)

test('links to a deleted page are left alone by default', () => {
  const before = docs()
  const { after } = removing(before, 'guides/install')
  assert.equal(touched(before, after), ['SUMMARY.md', 'guides/install.md'])
  assert.equal(touched(before, removing(before, 'guides/install', { rewriteLinks: false }).after), [
    'SUMMARY.md',
    'guides/install.md',
  ])
})

test('links to a deleted page are replaced by their text where possible', () => {
  const before = docs()
  const { after, edits } = removing(before, 'guides/install', { rewriteLinks: true })
  assert.equal(touched(before, after), [
    'SUMMARY.md',
    'guides/install.md',
    'other/links.md',
    'unlisted.md',
  ])

  assert.is(
    textOf(after, 'other/links.md'),
    `---
cover: ../guides/install.md
---

# Links

Install and a part, bare,
Install, Install, *Picture*, **bold**.

<a href="../guides/install.md">Here</a> [by name][install] \`[code](../guides/install.md)\`

[install]: ../guides/install.md

| Cell |
| --- |
| Install and [other](../guides/upgrade.md) |
`,
  )
  assert.is(textOf(after, 'unlisted.md'), 'Install\r\n[Guides](guides/)\r\n')
  assert.equal(
    edits.outcomes.map(({ object, page }) => [object, page]),
    [
      ['updated_page', idAt(before, 'links')],
      ['deleted_page', idAt(before, 'guides/install')],
    ],
  )
})

test('all links to a deleted page lead to its replacement', () => {
  const before = docs({
    '.gitbook.yaml': 'redirects:\n  old: ./guides/install.md#x # why\n  two: "guides/install.md"\n',
  })
  const replaceWith = idAt(before, 'guides/upgrade')
  const { after, edits } = removing(before, 'guides/install', { replaceWith, redirect: true })
  const text = textOf(after, 'other/links.md')

  assert.is(text.split('../guides/install').length, 2, 'only the code is as it was')
  assert.match(
    text,
    /\[a part\]\(\.\.\/guides\/upgrade\.md "Title"\), \[bare\]\(<\.\.\/guides\/upgrade\.md>\)/,
  )
  assert.match(text, /\[\*\*bold\*\*\]\(\.\.\/guides\/upgrade\)/)
  assert.match(text, /^\[install\]: \.\.\/guides\/upgrade\.md$/m)
  assert.match(text, /^cover: \.\.\/guides\/upgrade\.md$/m)
  assert.match(text, /content-ref url="\.\.\/guides\/upgrade\.md"/)
  assert.match(textOf(after, 'SUMMARY.md'), /\n\* \[Ports\]\(guides\/upgrade\.md#ports\)\n/)
  assert.is(
    textOf(after, '.gitbook.yaml'),
    'redirects:\n  old: ./guides/upgrade.md#x # why\n  two: "guides/upgrade.md"\n  guides/install: guides/upgrade.md\n',
  )
  assert.is(edits.tree, undefined)
  assert.equal(after.tree.config.redirects.at(-1), {
    from: 'guides/install',
    to: 'guides/upgrade.md',
  })
})

test('deleting a folder deletes its pages and rewrites links to them', () => {
  const before = docs()
  const { after } = removing(before, 'guides', { rewriteLinks: true })
  assert.is(textOf(after, 'unlisted.md'), 'Install\r\nGuides\r\n')
  assert.match(textOf(after, 'other/links.md'), /\| Install and other \|/)
  const heir = { replaceWith: idAt(before, 'readme') }
  const given = removing(before, 'guides', heir).after
  assert.is(textOf(given, 'unlisted.md'), '[Install](README.md)\r\n[Guides](./)\r\n')
})

test('contradictory options are refused', () => {
  const before = docs({ '.gitbook.yaml': 'redirects: [a]\n' })
  const heir = idAt(before, 'links')
  const refused: [options: object, message: RegExp][] = [
    [{ replaceWith: heir, rewriteLinks: false }, /leave "rewriteLinks" out/],
    [{ redirect: true }, /name a page with "replaceWith"/],
    [{ replaceWith: idAt(before, 'guides/install') }, /deleted as well/],
    [{ replaceWith: 'unknown' }, /no page "unknown"/],
    [{ replaceWith: heir, redirect: true }, /correct its "redirects" with Git/],
  ]

  for (const [options, message] of refused)
    assert.match(refusal(() => removing(before, 'guides', options)).message, message)
})

test('images of a deleted file become text or another image', () => {
  const before = from({
    'README.md':
      '# A\n\n![A *dot*](.gitbook/assets/dot%20a.png) <img src=".gitbook/assets/dot a.png">\n',
    'SUMMARY.md': summary('* [A](README.md)'),
    '.gitbook/assets/dot a.png': 'png',
    '.gitbook/assets/b.png': 'b',
  })
  const idOf = (path: string) => before.tree.fileByPath.get(path)!.id
  const file = idOf('.gitbook/assets/dot a.png')
  const gone = edit(before, { operation: 'delete_file', file, rewriteLinks: true }).after

  assert.is(textOf(gone, 'README.md'), '# A\n\nA *dot* <img src=".gitbook/assets/dot a.png">\n')
  const replaceWith = idOf('.gitbook/assets/b.png')
  const other = edit(before, { operation: 'delete_file', file, replaceWith }).after

  assert.is(
    textOf(other, 'README.md'),
    '# A\n\n![A *dot*](.gitbook/assets/b.png) <img src=".gitbook/assets/b.png">\n',
  )

  assert.is(
    textOf(edit(before, { operation: 'delete_file', file }).after, 'README.md'),
    textOf(before, 'README.md'),
  )
  const own = refusal(() => edit(before, { operation: 'delete_file', file, replaceWith: file }))

  assert.match(own.message, /the file that is deleted/)
  const left = edit(before, {
    operation: 'rename_file',
    file,
    name: 'c.png',
    rewriteLinks: false,
  }).after

  assert.is(textOf(left, 'README.md'), textOf(before, 'README.md'))
})

test('a rename adds redirects for the page and its descendants if asked to', () => {
  const before = docs({
    '.gitbook.yaml': '# Ours\nroot: ./\nredirects:\n    # kept\n    a: guides/README.md',
  })
  const page = idAt(before, 'guides')
  const { after } = edit(before, { operation: 'update_page', page, slug: 'manual', redirect: true })
  assert.is(
    textOf(after, '.gitbook.yaml'),
    '# Ours\nroot: ./\nredirects:\n    # kept\n    a: manual/README.md\n    guides: manual/README.md\n    guides/install: guides/install.md\n    guides/upgrade: guides/upgrade.md\n',
  )
  assert.is(textOf(after, 'unlisted.md'), '[Install](guides/install.md)\r\n[Guides](manual/)\r\n')
  const still = edit(before, {
    operation: 'update_page',
    page,
    slug: 'manual',
    rewriteLinks: false,
  }).after

  assert.is(textOf(still, 'unlisted.md'), textOf(before, 'unlisted.md'))
  assert.match(textOf(still, 'SUMMARY.md'), /\[Guides\]\(manual\/README\.md\)/)
  assert.is(textOf(still, '.gitbook.yaml'), textOf(before, '.gitbook.yaml'))

  // Settings are created if there are none, but only if an address changes.
  const bare = docs()
  const moved: Change = {
    operation: 'update_page',
    page: idAt(bare, 'guides/install'),
    into: null,
    redirect: true,
  }

  assert.is(
    textOf(edit(bare, moved).after, '.gitbook.yaml'),
    'redirects:\n  guides/install: guides/install.md\n',
  )
  const titled: Change = { ...moved, into: undefined, title: 'Setup' }

  assert.not.ok(edit(bare, titled).after.files.has('.gitbook.yaml'))

  for (const [settings, message] of [
    ['redirects: {a: b.md}\n', 'Cannot add a redirect'],
    ['redirects:\n\ta: b\n', 'Cannot add a redirect'],
    ['- a\n', 'Cannot add a redirect'],
    ['{root: ./}\n', 'Cannot add a redirect'],
    ['redirects: ~\n', 'Cannot add a redirect'],
    ['redirects: |\n  a\n', 'Cannot add a redirect'],
  ] as const) {
    const odd = docs({ '.gitbook.yaml': settings })
    const change: Change = { ...moved, page: idAt(odd, 'guides/install') }
    assert.match(refusal(() => edit(odd, change)).message, message, settings)
  }

  for (const settings of [
    '',
    '# nothing',
    'redirects:',
    'redirects: # none\nroot: ./',
    '\ufeffroot: .\r\n',
  ]) {
    const fine = docs({ '.gitbook.yaml': settings })
    const change: Change = { ...moved, page: idAt(fine, 'guides/install') }
    const { tree } = edit(fine, change).after
    assert.equal(
      tree.config.redirects,
      [{ from: 'guides/install', to: 'guides/install.md' }],
      settings,
    )
  }
})

test('a rename changes only the targets of links, whatever the files contain', () => {
  const targets = fc.constantFrom(
    ...[
      'install.md',
      './install.md',
      '/guides/install.md',
      '../guides/install.md#a',
      'install',
      'README.md',
    ],
    ...['./', '.', 'https://example.org/install.md', '#install', 'in%73tall.md', 'gone.md', ''],
  )

  const piece = fc.oneof(
    targets.map(to => `[Install](${to})`),
    targets.map(to => `![a](<${to}> "t")`),
    targets.map(to => `<a href="${to}">x</a>`),
    targets.map(to => `{% embed url="${to}" %}`),
    targets.map(to => `\n\n[x]: ${to}\n\n`),
    fc.constantFrom(
      '`[a](install.md)`',
      '\n```\n[a](install.md)\n```\n',
      ' install.md ',
      '\\[a](install.md)',
      '\r\n',
      '\n\n',
    ),
    fc.string({ maxLength: 8 }),
  )
  const text = fc.array(piece, { maxLength: 12 }).map(parts => `# T\n\n${parts.join(' ')}`)
  const rest = (markdown: string) => {
    let at = 0
    const parts = findLinks(markdown).map(({ raw }) => {
      const part = markdown.slice(at, raw.start).replace(/<$/, '')
      at = raw.end
      return part
    })
    return [...parts, markdown.slice(at)].map(part => part.replace(/^>/, '')).join('|')
  }

  fc.assert(
    fc.property(text, text, fc.boolean(), (inside, outside, replaces) => {
      const before = docs({ 'guides/upgrade.md': inside, 'loose.md': outside })
      const page = idAt(before, 'guides/install')
      const change: Change = replaces
        ? { operation: 'delete_page', page, replaceWith: idAt(before, 'links') }
        : { operation: 'update_page', page, slug: 'set-up' }
      const { edits, after } = edit(before, change)

      for (const path of ['guides/upgrade.md', 'loose.md']) {
        const [old, now] = [textOf(before, path), textOf(after, path)]
        if (old === now) assert.not.ok(edits.files.has(path))
        else {
          assert.is(rest(now), rest(old))
          assert.is(findLinks(now).length, findLinks(old).length)
        }
        assert.ok(decode(after.files.get(path)!).exact)
      }
    }),
    { numRuns: runs(150) },
  )
})

test('a page with very many links is rewritten in linear time', () => {
  const many = '[a](guides/install.md) {% content-ref url="guides/install.md" %}'.repeat(20_000)
  const before = docs({ 'loose.md': `${many}\n` })
  const gone = removing(before, 'guides/install', { rewriteLinks: true }).after
  assert.is(textOf(gone, 'loose.md').match(/guides\/install/g)?.length, 20_000)
  const page = idAt(before, 'guides/install')
  const renamed = edit(before, { operation: 'update_page', page, slug: 'set-up' }).after
  assert.not.match(textOf(renamed, 'loose.md'), /guides\/install/)
})

test.run()
