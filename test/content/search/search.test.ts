import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { finderOf, passagesOf } from '../../../src/content/search/passages.ts'
import { type Section, sectionSteps } from '../../../src/content/search/sections.ts'
import { indexedWords, mostTerms, searchTerms } from '../../../src/content/search/words.ts'
import { atOnce } from '../../../src/lib/slices.ts'
import { anyText } from '../../support/corpus/any-text.ts'
import { leastCpuTime } from '../../support/cpu-time.ts'
import { runs } from '../../support/long-run.ts'

const read = (text: string) => atOnce(sectionSteps(text))

test('lists of attributes are not words, and give headings their anchors', () => {
  assert.equal(read('# A {#b}\n\n![c](d.png){ width="50" } e\n\n## F {#g .h}\n\n## I\n'), {
    h1: 'A',
    sections: [
      { heading: '', anchor: '', body: 'c e' },
      { heading: 'F', anchor: 'g', body: '' },
      { heading: 'I', anchor: 'i', body: '' },
    ],
  })
})

test('text in angle brackets is words', () => {
  assert.equal(read('# Get <id>\n\nCall <account-id>.org\n'), {
    h1: 'Get <id>',
    sections: [{ heading: '', anchor: '', body: 'Call <account-id>.org' }],
  })
})

test('lines of MDX that import components are not words', () => {
  const text = "import A from './a'\n\n# B\n\nimport C from './c'\n\nd\n"
  assert.equal(atOnce(sectionSteps(text, 'a.mdx')), {
    h1: 'B',
    sections: [{ heading: '', anchor: '', body: 'd' }],
  })
  assert.is(read(text).h1, '')
})

test('the heading after a comment or a script is that of the page', () => {
  for (const before of ['<!-- a -->\n', '<script setup>\na\n</script>\n\n'])
    assert.equal(read(`${before}# A\n\n## B\n`), {
      h1: 'A',
      sections: [{ heading: 'B', anchor: 'b', body: '' }],
    })
  assert.is(read('<p>a</p>\n\n# A\n').h1, '')
})

const titled = (target: string): string | undefined =>
  target.startsWith('d/c.md') ? 'Title of C' : undefined
const everything = finderOf([])

/** Returns the passage at the beginning of a page. */
const passageOf = (text: string, titleOf: typeof titled = titled) =>
  passagesOf(read(text).sections, everything, titleOf)[0]?.body

test('links to pages without a title are shown as the title of their target', () => {
  const shown = (inner: string, url = 'd/c.md') =>
    passageOf(`a\n\n{% content-ref url="${url}" %}\n${inner}\n{% endcontent-ref %}\n\nb\n`)
  for (const name of ['[c.md](d/c.md)', '[c.md](<d/c.md>)', '[c](d/c)', '[c.md](d/c.md#x)'])
    assert.is(shown(name), 'a Title of C b', name)
  assert.is(shown('[Own title](d/c.md)'), 'a Own title b')
  assert.is(shown('[c.md](e.md) more', 'e.md'), 'a c.md more b')
  for (const unknown of ['[e.md](e.md)', '[e](../e/)', '[.](./)'])
    assert.is(shown(unknown, 'e.md'), 'a b', unknown)
  assert.is(passageOf('{% content-ref url="d/c.md" %}{% endcontent-ref %}\n\nb\n'), 'Title of C b')
  assert.is(passageOf('a\n\n{% page-ref page="d/c.md" %}\n\nb\n'), 'a Title of C b')
  const apart = '{% content-ref url="d/c.md" %}\n\n[c.md](d/c.md)\n\n{% endcontent-ref %}\n\nb\n'
  assert.is(passageOf(apart), 'Title of C b')
})

test('links and mentions whose words are the name of the file are shown as titles', () => {
  assert.is(passageOf('a [c.md](d/c.md) b\n'), 'a Title of C b')
  assert.is(passageOf('a [x](d/c.md "mention") b\n'), 'a Title of C b')
  assert.is(passageOf('a <a href="d/c.md">c.md</a> b\n'), 'a Title of C b')
  assert.is(passageOf('| a | [c.md](d/c.md) |\n| --- | --- |\n'), 'a · Title of C')
  assert.is(
    passageOf('a [e.md](e.md) and [c.md](https://example.org/c.md) b\n'),
    'a e.md and c.md b',
  )
  assert.is(passageOf('a `[c.md](d/c.md)` b\n'), 'a [c.md](d/c.md) b')
  assert.is(passageOf('```\n[c.md](d/c.md)\n```\n'), '[c.md](d/c.md)')
})

test('the hidden targets of cards are not in passages', () => {
  const cards =
    '<table data-view="cards"><thead><tr><th></th><th data-hidden data-card-target data-type="content-ref"></th></tr></thead>' +
    '<tbody><tr><td>Install it</td><td><a href="d/c.md">c.md</a></td></tr></tbody></table>\n'
  assert.is(passageOf(cards)?.replace(/^· | ·$/g, ''), 'Install it')
})

test('characters that stand for titles are no words of a page', () => {
  const text = 'a\ufffcb &#65532; &#xFFFC; [c.md](d/c.md)\n\n    code \ufffc\n'
  assert.is(passageOf(text), 'ab Title of C code')
  assert.is(read('## a\ufffc\n').sections[0]?.heading, 'a')
})

test('a passage with many titles is as long as others, and each title is that of its link', () => {
  const many = Array.from({ length: 600 }, (_, n) => `[${n}.md](${n}.md) w${n}`).join('\n\n')
  const numbers = (target: string) => `Title ${target.replace('.md', '')}`
  const first = passageOf(many, numbers)!
  assert.ok(first.startsWith('Title 0 w0 Title 1 w1') && first.length < 400, first)
  const sections = read(many).sections
  const [late] = passagesOf(sections, finderOf(searchTerms('w450')), numbers)
  assert.match(late!.body, /Title 450 w450/)
  const long = passageOf('a [c.md](d/c.md) b\n', () => 'x'.repeat(5_000))!
  assert.ok(long.length < 200)
})

test('a heading in a hint at the top is not that of the page', () => {
  for (const hint of [':::note\n# A\n:::\n', '!!! note\n    # A\n'])
    assert.equal(read(hint), { h1: '', sections: [{ heading: 'A', anchor: 'a', body: '' }] })
})

test('a page is read as sections of plain text, without its own heading', () => {
  const { h1, sections } = read(
    '---\ntitle: x\n---\n\n# Own\n\nLead *text* with [a link](b.md).\n\n## One <a href="#uno" id="uno"></a>\n\n| a | b |\n| --- | :-: |\n| c | d |\n\n* item\n\n### One\n\n> quoted\n\n### One\n\n```sh\nls -l\n```\n{% code title="a.ts" %}\nword\n',
  )
  assert.is(h1, 'Own')
  assert.equal(sections, [
    { heading: '', anchor: '', body: 'Lead text with a link.' },
    { heading: 'One', anchor: 'uno', body: 'a · b · c · d\nitem' },
    { heading: 'One', anchor: 'one', body: 'quoted' },
    { heading: 'One', anchor: 'one-1', body: 'ls -l\na.ts word' },
  ])
})

test('the cells of a table are apart, and bars in other text stay', () => {
  const bodyOf = (text: string) => read(text).sections[0]?.body
  assert.is(bodyOf('| a | |\n| --- | --- |\n| `x \\| y` | *d* |\n'), 'a · x | y · d')
  assert.is(bodyOf('Run `ls | wc` or so.\n'), 'Run ls | wc or so.')
  assert.is(
    bodyOf('<table><tr><th>a</th><th>b</th></tr><tr><td>c</td><td></td><td>d</td></tr></table>\n'),
    'a · b c · d',
  )
})

test('the marks of quotes and alerts are not words', () => {
  assert.is(read('> one\n> > two\n> > three\n').sections[0]?.body, 'one\ntwo three')
  assert.is(read('> [!NOTE]\n> text\n').sections[0]?.body, 'text')
})

test('pages without headings, without text and without both are read', () => {
  assert.equal(read(''), { h1: '', sections: [] })
  assert.equal(read('# Own\n'), { h1: 'Own', sections: [] })
  assert.equal(read('text'), { h1: '', sections: [{ heading: '', anchor: '', body: 'text' }] })
  assert.equal(
    read('## Two\n# Three\n').sections.map(section => section.heading),
    ['Two', 'Three'],
  )
})

test('hostile pages are read in linear time', () => {
  for (const piece of ['{%', '| --', '[', '<a id="', '## a\n', '字 ', '`', '{% a title="']) {
    const text = piece.repeat(Math.floor(200_000 / piece.length))
    assert.ok(leastCpuTime(() => read(text), 5_000) < 5_000, piece)
  }
})

test('terms are separated by spaces, and the last may be a prefix', () => {
  assert.equal(searchTerms('Hello wor'), [
    { words: ['Hello'], prefix: false },
    { words: ['wor'], prefix: true },
  ])

  assert.equal(searchTerms('"node.js" AND C++'), [
    { words: ['node', 'js'], prefix: false },
    { words: ['C'], prefix: true },
  ])
  assert.equal(searchTerms('how do I restore a backup'), [
    { words: ['restore'], prefix: false },
    { words: ['backup'], prefix: true },
  ])
  assert.equal(searchTerms('how to'), [
    { words: ['how'], prefix: false },
    { words: ['to'], prefix: true },
  ])
  assert.equal(searchTerms('函數呼叫'), [{ words: ['函數', '數呼', '呼叫'], prefix: false }])
  assert.equal(searchTerms('叫'), [{ words: ['叫'], prefix: true }])
  assert.equal(searchTerms('函數foo'), [{ words: ['函數', '數', 'foo'], prefix: true }])
  assert.equal(searchTerms('foo FOO foo'), [{ words: ['foo'], prefix: false }])
  for (const none of ['', ' * ', '"" - (', '\u0000']) assert.equal(searchTerms(none), [])
  assert.is(searchTerms(Array.from({ length: 99 }, (_, n) => `w${n}`).join(' ')).length, mostTerms)
})

test('in scripts without spaces, any part of a run is a phrase of the indexed text', () => {
  const script = fc.string({
    unit: fc.constantFrom('函', '數', '呼', '叫', '한', '글', 'ก', 'ข'),
    minLength: 1,
    maxLength: 12,
  })
  fc.assert(
    fc.property(script, fc.nat(), fc.nat(), (text, a, b) => {
      const characters = Array.from(text)
      const from = a % characters.length
      const part = characters.slice(from, from + 1 + (b % (characters.length - from))).join('')
      const indexed = ` ${indexedWords(`foo ${text} bar`).split(/\s+/).join(' ')} `
      const [term] = searchTerms(part)
      const phrase = ` ${term!.words.join(' ')}${term!.prefix ? '' : ' '}`
      assert.ok(indexed.includes(phrase), `${indexed} has no ${phrase}`)
    }),
  )
})

test('words of terms contain no syntax of the search engine or of patterns', () => {
  fc.assert(
    fc.property(anyText({ maxLength: 60 }), text => {
      const terms = searchTerms(text)
      for (const { words } of terms)
        for (const word of words) assert.match(word, /^[\p{L}\p{N}\p{M}\p{Co}\u30fc]+$/u)
      finderOf(terms)('any text')
    }),
    { numRuns: runs(300) },
  )
})

test('passages are cut around the match, at spaces', () => {
  const section = (body: string, heading = ''): Section => ({ heading, anchor: heading, body })
  const filling = 'some words that fill '.repeat(30)
  const find = finderOf(searchTerms('cafe menu'))
  const [first, second] = passagesOf(
    [
      section('nothing'),
      section(`${filling}the Café is here ${filling}`),
      section('Our menu', 'Café'),
    ],
    find,
  )

  assert.is(first?.heading, 'Café')
  assert.match(second?.body ?? '', /^….*the Café is here some words .*…$/)
  assert.ok(second!.body.length <= 242)
  assert.equal(passagesOf([section('nothing of it')], find), [section('nothing of it')])
  assert.equal(passagesOf([], find), [])
  const chinese = passagesOf(
    [section(`${'😀'.repeat(200)}函數呼叫${'😀'.repeat(200)}`)],
    finderOf(searchTerms('數呼')),
  )

  assert.ok(chinese[0]!.body.includes('函數呼叫'))
  assert.ok(
    !/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(
      chinese[0]!.body,
    ),
  )
  assert.is(finderOf(searchTerms('art x'))('party artful').count, 0)
  assert.is(finderOf(searchTerms('art'))('party artful').at, 6)
})

test.run()
