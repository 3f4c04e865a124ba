import { importOf } from '../import.ts'
import { type Line, line, must, type Seen } from '../line.ts'
import { file, folder, makeRepository } from '../objects.ts'
import type { Stage } from '../stage.ts'

let made = 0

/**
 * Imports these files and reads the tree and every page in `reads`; returns the last page, or the
 * tree.
 */
const reading =
  (contents: Record<string, string | Buffer>, reads: string[] = ['readme']) =>
  async (stage: Stage): Promise<Seen> => {
    const name = `content-${made++}`
    const repo = makeRepository(stage.folder, name)
    const { 'nested/a.md': nested, ...top } = contents
    const entries = Object.entries(top).map(([path, content]) => file(path, repo.blob(content)))
    if (nested !== undefined)
      entries.push(folder('nested', repo.tree([file('a.md', repo.blob(nested))])))
    repo.commit(repo.tree(entries))
    const done = await importOf(stage, name)
    if (done.status !== 'success') return done

    let seen = await stage.call('GET', `/v1/spaces/${done.space}/content/pages`)

    must(seen.status === 200, `the tree answers ${seen.status} ${seen.text.slice(0, 200)}`)

    for (const path of reads) {
      seen = await stage.call('GET', `/v1/spaces/${done.space}/content/path/${path}`)
      must(
        seen.status === 200,
        `the page ${path} answers ${seen.status} ${seen.text.slice(0, 200)}`,
      )
    }

    await stage.call('DELETE', `/v1/spaces/${done.space}`)

    return { ...seen, text: Buffer.from(seen.text, 'latin1').toString('utf8') }
  }

const readme = '# Home\n'
const page = (text: string | Buffer) => ({ 'README.md': text })
const front = (yaml: string) => page(`---\n${yaml}\n---\n\n# Shown\n`)
const summary = (text: string, more: Record<string, string | Buffer> = {}) => ({
  'README.md': readme,
  'SUMMARY.md': text,
  ...more,
})

/** Ten levels, each nine times the previous one: a billion items when expanded. */
const aliases = ['a: &a [x, x, x, x, x, x, x, x, x]']
for (let i = 1; i < 10; i++) {
  const [name, before] = ['abcdefghij'[i], 'abcdefghij'[i - 1]]
  aliases.push(`${name}: &${name} [${Array(9).fill(`*${before}`).join(', ')}]`)
}

const frontMatters: [what: string, yaml: string][] = [
  ['an alias bomb', aliases.join('\n')],
  ['an alias to itself', 'a: &a [*a]'],
  ['__proto__', '__proto__:\n  isAdmin: true\ntitle: Fine'],
  ['constructor', 'constructor:\n  prototype: {a: 1}'],
  ['a merge key', 'x: &x {title: a}\n<<: *x'],
  ['duplicate keys', 'title: a\ntitle: b'],
  ['a JavaScript function', 'title: !!js/function "function(){ return process }"'],
  ['!!binary', 'title: !!binary aGVsbG8='],
  ['2,000 levels', `a: ${'['.repeat(2000)}${']'.repeat(2000)}`],
  ['10,000 levels of "- "', `a:\n  ${'- '.repeat(10_000)}x`],
  [
    '10,000 levels by indentation',
    Array.from({ length: 250 }, (_, i) => `${' '.repeat(i)}k:`).join('\n'),
  ],
  ['.inf and .nan', 'coverY: .inf\ncoverHeight: .nan'],
  ['an octal number and a date', 'title: 0o17\ndescription: 2001-01-01'],
  ['"\\0"', 'title: "\\0"'],
  ['%YAML 9.9', '%YAML 9.9'],
  ['60 KB of keys', Array.from({ length: 6000 }, (_, i) => `k${i}: v`).join('\n')],
  ['2 MB', `title: ${'x'.repeat(2_000_000)}`],
]

/** Texts that take other Markdown parsers seconds. */
const markdowns: [what: string, text: string][] = [
  ['">" 20,000 times', '>'.repeat(20_000)],
  [
    '3,000 nested lists',
    Array.from({ length: 3000 }, (_, i) => `${' '.repeat(i * 2)}- a\n`).join(''),
  ],
  [
    '3,000 growing runs of backticks',
    Array.from({ length: 3000 }, (_, i) => '`'.repeat(i)).join(' '),
  ],
  ['"[" 50,000 times', '['.repeat(50_000)],
  ['"![](" 50,000 times', '![]('.repeat(50_000)],
  ['"*a **a" 20,000 times', '*a **a'.repeat(20_000)],
  ['"_" 50,000 times', '_'.repeat(50_000)],
  ['"<a" 50,000 times', '<a '.repeat(50_000)],
  ['"<!--" 50,000 times', '<!--'.repeat(50_000)],
  ['"&" 500,000 times', '&'.repeat(500_000)],
  ['a heading of 1 MB', `# ${'a *b* '.repeat(170_000)}`],
]

const entries = (count: number, target: (i: number) => string) =>
  `# Summary\n\n${Array.from({ length: count }, (_, i) => `* [Page ${i}](${target(i)})\n`).join('')}`

const shown = /Shown/
const secretFree = 'nothing of the host is read'

export const content: Line[] = [
  ...['---js', '---javascript', '---coffee'].map(mark =>
    line(
      'C6',
      `front matter "${mark}"`,
      200,
      /process\.exit/,
      reading(page(`${mark}\n{ title: process.exit(7) }\n---\n# Shown\n`)),
    ),
  ),
  ...frontMatters.map(([what, yaml]) =>
    line(
      what.includes('alias') ? 'C7' : 'C8',
      `front matter with ${what}`,
      200,
      shown,
      reading(front(yaml)),
    ),
  ),
  line(
    'C8',
    '.gitbook.yaml with an alias bomb',
    200,
    shown,
    reading({ ...page('# Shown\n'), '.gitbook.yaml': aliases.join('\n') }),
  ),
  line(
    'C10',
    '.gitbook.yaml with root: ../../etc',
    200,
    'nothing of the host is read',
    reading(
      {
        ...page('# Shown\n'),
        '.gitbook.yaml': 'root: ../../../../etc\nstructure:\n  summary: ../passwd\n',
      },
      [],
    ),
  ),
  ...markdowns.map(([what, text]) =>
    line('C9', `a page of ${what}`, 200, /"markdown"/, reading(page(text))),
  ),
  ...markdowns.map(([what, text]) =>
    line(
      'C9',
      `a table of contents of ${what}`,
      200,
      /"pages"/,
      reading(summary(`# S\n\n* ${text}\n`), []),
      {
        slow: true,
      },
    ),
  ),
  line(
    'C9',
    'a page of 20 MB',
    200,
    'is shown whole, or as too large',
    reading(page(`# Big\n\n${'words and more words\n'.repeat(1_000_000)}`)),
    { slow: true },
  ),
  line(
    'B11',
    'a page of 90 MB',
    '200|413',
    'the others are shown',
    reading({
      ...summary('* [Home](README.md)\n* [Big](big.md)\n'),
      'big.md': Buffer.alloc(90_000_000, 97),
    }),
    { slow: true },
  ),
  line(
    'C12',
    'a page that is not UTF-8',
    200,
    /Title/,
    reading(page(Buffer.concat([Buffer.from('# Title '), Buffer.from([0xff, 0xfe, 0xc3, 0x28])]))),
  ),
  line('C12', 'a page with a NUL', 200, /Shown/, reading(page('# Shown\n\na\0b\n'))),
  line(
    'C12',
    'a page in UTF-16',
    200,
    /"markdown"/,
    reading(page(Buffer.from('\ufeff# Wide\n', 'utf16le'))),
  ),
  line(
    'C12',
    'a title with markup',
    200,
    /<\/script>/,
    reading(page('# </script><script>alert(1)</script>\n')),
  ),
  line(
    'C2',
    'a link javascript:alert(1) in the table of contents',
    200,
    /"pages"/,
    reading(summary('* [x](javascript:alert(1))\n* [y](data:text/html,x)\n'), []),
  ),
  line(
    'C10',
    'SUMMARY.md with ../../etc/passwd',
    200,
    secretFree,
    reading(
      summary(
        '* [a](../../../../etc/passwd)\n* [b](/etc/passwd)\n* [c](..%2f..%2fetc/passwd)\n* [d](\\\\server\\x)\n* [e](file:///etc/passwd)\n',
      ),
      [],
    ),
  ),
  line(
    'C10',
    'SUMMARY.md 10,000 levels deep',
    200,
    /"pages"/,
    reading(
      summary(
        Array.from(
          { length: 10_000 },
          (_, i) => `${' '.repeat(Math.min(i, 2000) * 2)}* [a](a.md)\n`,
        ).join(''),
      ),
      [],
    ),
    { slow: true },
  ),
  line(
    'C10',
    'SUMMARY.md that names a page 1,000 times',
    200,
    /"pages"/,
    reading(summary(entries(1000, () => 'README.md'))),
  ),
  line(
    'C10',
    'SUMMARY.md of 100,000 missing pages',
    200,
    /"pages"/,
    reading(summary(entries(100_000, i => `page-${i}.md`)), []),
    { slow: true },
  ),
  line(
    'C10',
    'SUMMARY.md of 100,000 links',
    200,
    /"pages"/,
    reading(summary(entries(100_000, i => `https://example.org/${i}`)), []),
    { slow: true },
  ),
  line(
    'C10',
    'SUMMARY.md of 20 MB',
    200,
    /"pages"/,
    reading(summary(entries(600_000, i => `page-${i}.md`)), []),
    { slow: true },
  ),
  line(
    'C10',
    'SUMMARY.md of 7 MB of computed entries',
    200,
    /"pages"/,
    reading(summary(`# S\n\n${'* ```yaml\n  type: openapi\n  ```\n'.repeat(200_000)}`), []),
    { slow: true },
  ),
  line(
    'I7',
    'a table of contents with 40,000 entries of a missing spec',
    200,
    /"type":"computed"/,
    reading(
      summary(
        `# S\n\n${'* ```yaml\n  type: builtin:openapi\n  dependencies: {spec: {ref: {spec: gone}}}\n  ```\n'.repeat(40_000)}`,
      ),
      [],
    ),
    { slow: true },
  ),
  line('C8', '20,000 variables', 200, shown, async stage => {
    const yaml = Array.from({ length: 20_000 }, (_, i) => `v${i}: x`).join('\n')
    return reading({ ...page('# Shown {{ vars }}\n'), '.gitbook.yaml': yaml })(stage)
  }),
  line(
    'B18',
    'a Git LFS pointer for a picture',
    200,
    /oid sha256/,
    reading(page('version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 5\n')),
  ),
]
