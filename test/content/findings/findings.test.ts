import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { addedFindings } from '../../../src/content/findings/compare.ts'
import { countFindings, findingSentences } from '../../../src/content/findings/count.ts'
import { findingSteps } from '../../../src/content/findings/find.ts'
import { type Finding, findingKinds } from '../../../src/content/findings/kinds.ts'
import { isPointer } from '../../../src/content/findings/pointer.ts'
import { linkFactSteps } from '../../../src/content/links/facts.ts'
import { revisionLinkSteps } from '../../../src/content/links/list.ts'
import { atOnce } from '../../../src/lib/slices.ts'
import { from } from '../../support/content.ts'

const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12345\n`

/** Returns the findings of a space with these files. */
function find(texts: Record<string, string>): Finding[] {
  const { tree, files, input } = from(texts)
  const bytes = new Map(input.files.map(({ path, oid }) => [oid as string, files.get(path)!]))
  const facts = new Map(
    [...bytes].map(([oid, content]) => [oid, atOnce(linkFactSteps(content))] as const),
  )
  const home = { spaceId: 'space', own: 'https://docs.example.org' }
  return atOnce(
    findingSteps({
      tree,
      notices: [],
      links: atOnce(revisionLinkSteps(tree, home, oid => facts.get(oid))),
      facts: oid => facts.get(oid),
      settings: files.get('.gitbook.yaml'),
      pointers: new Set([...bytes].flatMap(([oid, text]) => (isPointer(text) ? [oid] : []))),
    }),
  )
}

/** Returns findings as `file:line kind message`. */
const shown = (texts: Record<string, string>): string[] =>
  find(texts).map(({ file, line, kind, message }) => `${file}:${line ?? ''} ${kind} ${message}`)

const home = { 'README.md': '# Home\n' }
const listed = { ...home, 'SUMMARY.md': '# Contents\n\n* [Home](README.md)\n' }
const page = (text: string) => ({ ...listed, 'README.md': text })
const list = (text: string) => ({ ...home, 'a.md': '# A\n', 'SUMMARY.md': text })

const cases: Record<string, [Record<string, string>, string[]]> = {
  'nothing in a space without faults': [
    {
      ...listed,
      'README.md':
        '---\nicon: star\nlayout:\n  width: wide\n---\n\n# Home\n\n{% hint style="info" %}\n[a](#home) <b>b</b>\n{% endhint %}\n\n:::note\nc\n:::\n\n```js\nd\n```\n',
    },
    [],
  ],
  'broken links, and those in the table of contents as pages': [
    {
      ...home,
      'README.md': '[a](gone.md)\n\n[b]()\n',
      'SUMMARY.md': '* [Home](README.md)\n* [Lost](lost.md)\n',
    },
    [
      'README.md:1 broken-link "gone.md" does not exist.',
      'README.md:3 broken-link A link has no target.',
      'SUMMARY.md:2 missing-page The file "lost.md" does not exist.',
    ],
  ],
  'lines of the table of contents that are not entries': [
    list('* [Home](README.md)\n* [A](a.md) and more\n* [Today (2014)](Today (2014 x.md)\n\nText\n'),
    [
      'SUMMARY.md:2 contents-line The text beside the link is not shown.',
      'SUMMARY.md:3 missing-page The file "Today (2014 x.md" does not exist.',
      'SUMMARY.md:5 contents-line Text between the lists is not shown.',
    ],
  ],
  'links of the table of contents that lead nowhere, and none for those with unescaped paths': [
    {
      ...list(
        '[Home](README.md)\n\n* [A] (a.md)\n* [B](b (1).md)\n* [C][c]\n\nThe [d](a.md).\n\n## [E](a.md)\n',
      ),
      'b (1).md': '# B\n',
    },
    [
      'SUMMARY.md:5 contents-line The link of "C" has no path.',
      'SUMMARY.md:7 contents-line Text between the lists is not shown; a link is an entry if it is alone on its line.',
      'SUMMARY.md:9 contents-line The link of a heading is not followed.',
    ],
  ],
  'entries that are no pages of their own': [
    list('* [Home](README.md)\n* [A](a.md)\n* [Again](a.md)\n* Words\n'),
    [
      'SUMMARY.md:3 contents-entry "a.md" is listed twice; the first entry is the page, this one is a link to it.',
      'SUMMARY.md:4 contents-entry "Words" has no link: its page is empty.',
    ],
  ],
  'no markers of conflicts in elements that show their text, no open code that ends with its quote':
    [
      page(
        '# Home\n\n<pre>\n<<<<<<< HEAD\na\n>>>>>>> b\n</pre>\n\n> ```\n> a\n\nb\n\n* ```\n  c\n\nd\n\n<div>\n<<<<<<< HEAD\n</div>\n\n```\ne\n',
      ),
      [
        'README.md:20 conflict-marker A marker of a conflict was left here: HEAD. Both sides are shown.',
        'README.md:23 unclosed-block The code has no end: all that follows is shown as code.',
      ],
    ],
  'Markdown files that no entry names': [
    { ...listed, 'a/old.md': '# Old\n', '.github/b.md': '# B\n', 'c.txt': 'c' },
    ['a/old.md: unlisted-page The page is not in SUMMARY.md.'],
  ],
  'redirects that lead to no page, or to no anchor': [
    {
      ...listed,
      '.gitbook.yaml':
        'redirects:\n  old: README.md\n  older: gone.md\n  oldest: README.md#nowhere\n  away: https://example.org\n  case: README.md#HOME\n',
    },
    [
      '.gitbook.yaml:3 dead-redirect The redirect of "older" leads to "gone.md", which is no page.',
      '.gitbook.yaml:4 missing-anchor The redirect of "oldest" leads to "README.md#nowhere", and the page has no such anchor.',
      '.gitbook.yaml:5 dead-redirect The redirect of "away" leads to "https://example.org", and is not followed.',
    ],
  ],
  'anchors that do not exist, in no spelling': [
    page(
      '# Home\n\n## What & Why?\n\n## Set-Up Now\n\n[a](#what--why) [b](#SET-UP-NOW) [c](#what-and-why) [d](#set-up-now) [e](#gone)\n',
    ),
    ['README.md:7 missing-anchor "#gone": the page has no such anchor.'],
  ],
  'no anchors of reusable content, nor of specs': [
    {
      ...listed,
      'README.md':
        '{% include ".gitbook/includes/a.md" %}\n\n[a](#inner) [b](b.md#get-pets) [c](#gone)\n',
      'b.md': '{% openapi src="pets.yaml" path="/pets" method="get" %}\n{% endopenapi %}\n',
      'pets.yaml': 'a',
      'SUMMARY.md': '* [Home](README.md)\n* [B](b.md)\n',
      '.gitbook/includes/a.md': '# A\n\n## Inner\n',
    },
    ['README.md:3 missing-anchor "#gone": the page has no such anchor.'],
  ],
  'unknown keys of settings': [
    { ...listed, '.gitbook.yaml': 'redirect:\n  a: README.md\nstructure:\n  sumary: a.md\n' },
    [
      '.gitbook.yaml:1 unknown-key The key "redirect" is unknown and ignored.',
      '.gitbook.yaml:4 unknown-key The key "structure.sumary" is unknown and ignored.',
    ],
  ],
  'settings with a value that is not understood': [
    { ...listed, '.gitbook.yaml': 'root: ../x\n', '.gitbook/vars.yaml': '1a: b\n' },
    [
      '.gitbook.yaml:1 invalid-setting "root" is outside the content directory; the default is used.',
      '.gitbook/vars.yaml:1 invalid-setting "1a" is not a valid variable name.',
    ],
  ],
  'front matter: misspelt keys, those of other tools, and values': [
    page('---\ndescripton: a\nauthors: b\nicon: star\nhidden: perhaps\n---\n\n# Home\n'),
    [
      'README.md:2 unknown-key The key "descripton" is unknown and ignored.',
      'README.md:3 other-key The key "authors" is unknown and ignored.',
      'README.md:5 front-matter "hidden" should be true or false.',
    ],
  ],
  'tags that are not known': [
    page('{% highlight js %}\n\n<account-id>.example.org <Frame/>\n'),
    [
      'README.md:1 unknown-tag The tag {% highlight %} is not known and is shown as text.',
      'README.md:3 unknown-tag The component <Frame> shows only its content.',
      'README.md:3 unknown-tag <account-id> is not an element of HTML and is shown as text.',
    ],
  ],
  'blocks without an end, and ends without a block': [
    page(
      '{% tabs %}\n{% tab title="A" %}\n{% hint style="info" %}\na\n{% endtab %}\n{% endtabs %}\n\n{% endhint %}\n\n:::note\nb\n\n```js\n{% hint %}\n',
    ),
    [
      'README.md:3 unclosed-block The block {% hint %} has no end.',
      'README.md:8 unclosed-block {% endhint %} ends no block.',
      'README.md:10 unclosed-block The block ":::note" has no end.',
      'README.md:13 unclosed-block The code has no end: all that follows is shown as code.',
    ],
  ],
  'markers of conflicts, but not in code': [
    {
      ...home,
      'README.md':
        '# Home\n\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n\n```\n<<<<<<< HEAD\n```\n',
      'SUMMARY.md': '<<<<<<< HEAD\n* [Home](README.md)\n',
      '.gitbook.yaml': '<<<<<<< ours\n',
    },
    [
      '.gitbook.yaml: invalid-setting The file is not a map of settings; the defaults are used.',
      '.gitbook.yaml:1 conflict-marker A marker of a conflict was left here. Both sides are shown.',
      'README.md:3 conflict-marker A marker of a conflict was left here: HEAD. Both sides are shown.',
      'README.md:7 conflict-marker A marker of a conflict was left here: main. Both sides are shown.',
      'SUMMARY.md:1 contents-line Text between the lists is not shown.',
      'SUMMARY.md:1 conflict-marker A marker of a conflict was left here. Both sides are shown.',
    ],
  ],
  'pointers of Git LFS': [
    { ...listed, 'README.md': pointer, 'a.png': pointer, 'b.png': `${pointer}more\n` },
    [
      'README.md: lfs-pointer The file is in Git LFS: only its pointer is here.',
      'a.png: lfs-pointer The file is in Git LFS: only its pointer is here.',
    ],
  ],
  'syntax and settings of other tools': [
    { ...page('--8<-- "a.md"\n'), 'LANGS.md': '* English\n', 'book.json': '{}' },
    [
      'LANGS.md: unread-settings LANGS.md is not read.',
      'README.md:1 unread-syntax "--8<--" is shown as text.',
      'book.json: unread-settings book.json is not read.',
    ],
  ],
  'equal addresses, and drafts': [
    {
      ...home,
      'A.md': '---\ndraft: true\n---\n',
      'a.md': '',
      'SUMMARY.md': '* [Home](README.md)\n* [A](A.md)\n* [B](a.md)\n',
    },
    [
      'A.md: draft The page is a draft, which readers are not shown.',
      'SUMMARY.md:2 equal-address Another page at this level has the slug "A"; this one gets "A-2d63174e".',
      'SUMMARY.md:3 equal-address Another page at this level has the slug "a"; this one gets "a-fecccc97".',
    ],
  ],
}

for (const [name, [texts, found]] of Object.entries(cases))
  test(`findings: ${name}`, () => {
    assert.equal(shown(texts), found)
  })

test('every kind occurs in these tests, and every finding says what to write', () => {
  const all = Object.values(cases).flatMap(([texts]) => find(texts))
  const kinds = new Set(all.map(({ kind }) => kind))
  assert.equal(
    findingKinds.filter(kind => !kinds.has(kind)),
    ['missing-operation', 'unread-file'],
  )
  assert.ok(all.every(({ advice, message }) => /\.$/.test(advice) && /[.?]/.test(message)))
})

test('files about the repository may be unlisted, and the name of a layout is no fault', () => {
  const found = find({
    ...listed,
    '.gitbook.yaml': 'root: docs\n',
    'docs/README.md': '---\nlayout: home\n---\n',
    'docs/SUMMARY.md': '* [Home](README.md)\n',
    'docs/LICENSE.md': '',
    'docs/faq.md': '',
    'docs/a/CHANGELOG.md': '',
  })
  assert.equal(
    found.flatMap(({ file, severity }) =>
      file?.startsWith('docs/') ? [`${file} ${severity}`] : [],
    ),
    ['docs/LICENSE.md info', 'docs/a/CHANGELOG.md warning', 'docs/faq.md warning'],
  )
})

test('findings that an older list has are not new, wherever their lines are', () => {
  const before = find(page('[a](gone.md)\n'))
  const now = find(page('# Home\n\n[a](gone.md) [a](gone.md) [b](b.md)\n'))
  assert.equal(
    addedFindings(now, before).map(({ message }) => message),
    ['"gone.md" does not exist.', '"b.md" does not exist.'],
  )
  assert.equal(addedFindings(before, now), [])
})

test('findings are counted by kind, the worst first, with their first places', () => {
  const all = find({
    ...listed,
    'README.md': '<x-a>\n\n[a](1.md)\n[a](2.md)\n[a](3.md)\n[a](4.md)\n',
    'old.md': '',
  })
  assert.equal(countFindings(all), { 'broken-link': 4, 'unlisted-page': 1, 'unknown-tag': 1 })
  assert.equal(findingSentences(all), [
    '4 broken links: README.md:3, README.md:4, README.md:5 and 1 more',
    '1 page is not in the table of contents: old.md',
    'README.md:1: <x-a> is not an element of HTML and is shown as text. Write it between backticks, or with a backslash before it.',
  ])
})

test('at most 100,000 findings are counted', () => {
  const text = Array.from({ length: 4_000 }, (_, at) => `[a](${at}.md)\n`).join('')
  const pages = Array.from({ length: 27 }, (_, at) => [`${at}.md`, text])
  assert.is(find({ ...home, ...Object.fromEntries(pages) }).length, 100_000)
})

test.run()
