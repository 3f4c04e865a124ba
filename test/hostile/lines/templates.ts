import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beside } from '../beside.ts'
import { type Line, line, must, type Seen } from '../line.ts'
import type { Stage } from '../stage.ts'

/** The folder of the operator's templates, for the server that has one. */
let folder = ''

function serverWithTemplates(): Promise<Stage> {
  if (folder === '') {
    folder = mkdtempSync(join(tmpdir(), 'stemma-hostile-templates-'))
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  }
  return beside('templates', { env: { STEMMA_TEMPLATES: folder, STEMMA_LOG: 'warn' } })
}

let made = 0

/**
 * Creates a template of these files, lists it, and applies it to a space, which must not change on
 * failure.
 */
const applying =
  (
    files: Record<string, string | Buffer>,
    { also = () => {}, refs = {} }: { also?: (dir: string) => void; refs?: object } = {},
  ) =>
  async (): Promise<Seen> => {
    const stage = await serverWithTemplates()
    const id = `t${made++}`
    for (const [path, content] of Object.entries({ 'template.yaml': 'title: T\n', ...files })) {
      const full = join(folder, id, path)
      mkdirSync(dirname(full), { recursive: true })
      writeFileSync(full, content)
    }

    also(join(folder, id))
    const list = await stage.call('GET', '/v1/templates')

    must(list.status === 200, `the list answers ${list.status} ${list.text.slice(0, 200)}`)
    must(!/root:.*:0:0:/.test(list.text), 'a file of the host is shown')
    const space = `/v1/spaces/${await stage.space('Templates')}/content`
    const before = await stage.call('GET', space)
    const seen = await stage.call('POST', `${space}/template`, {
      body: { id, params: { contentRefs: refs } },
    })
    const after = await stage.call('GET', space)

    must(seen.status === 201 || after.text === before.text, 'the space is another one')
    const texts = await stage.call('GET', `${space}/files?limit=1000`)

    must(
      !/root:.*:0:0:|"\.git\//.test(texts.text + after.text),
      'something of the host, or for Git, is in the space',
    )
    rmSync(join(folder, id), { recursive: true, force: true })

    return seen
  }

const page = { 'a.md': '# A\n' }
const named = (path: string) => ({ ...page, [path]: '# B\n' })

/** Applies a template with this id. */
const asking = (id: unknown, params?: unknown) => async (): Promise<Seen> => {
  const stage = await serverWithTemplates()
  return stage.call('POST', `/v1/spaces/${await stage.space('Templates')}/content/template`, {
    body: { id, params },
  })
}

const aliases = (levels: number) =>
  ['a: &a0 [x,x,x,x,x,x,x,x,x]']
    .concat(
      Array.from(
        { length: levels },
        (_, i) => `b${i}: &a${i + 1} [${Array(9).fill(`*a${i}`).join(',')}]`,
      ),
    )
    .join('\n')

export const templateLines: Line[] = [
  ...[
    '../templates/changelog',
    '..',
    '.',
    '/etc',
    'changelog/',
    'changelog/../changelog',
    '%2e%2e',
    ' ',
  ].map(id =>
    line('J4', `a template ${JSON.stringify(id)}`, '400|404', /template|"id"/, asking(id)),
  ),
  line(
    'J4',
    'names in 1 MB of contentRefs',
    '400|413',
    /contentRefs|larger|values/,
    asking('changelog', {
      contentRefs: Object.fromEntries(
        Array.from({ length: 10_000 }, (_, i) => [
          `n${i}`,
          { kind: 'url', url: `https://example.org/${i}` },
        ]),
      ),
    }),
  ),
  line(
    'J4',
    'a variable in a file name that contains a path',
    201,
    'the file has that name',
    applying(named('{{x}}/$(id).md')),
  ),
  ...['con.md', 'a:b.md', 'a\\..\\b.md', 'x\u202ey.md', 'nul', `${'x/'.repeat(12)}a.md`].map(path =>
    line(
      'J4',
      `a template with the file ${JSON.stringify(path.slice(0, 40))}`,
      409,
      /cannot be used/,
      applying(named(path)),
    ),
  ),
  line(
    'J4',
    'a template with a folder .git',
    201,
    'it is passed over',
    applying(named('.git/hooks/post-receive')),
  ),
  line(
    'J4',
    'a name with whitespace and ../',
    409,
    /cannot be used/,
    applying(named(' ..  /b.md')),
  ),
  line(
    'J4',
    'a link to /etc/passwd in a template',
    409,
    /links are not followed/,
    applying(page, { also: dir => symlinkSync('/etc/passwd', join(dir, 'b.md')) }),
  ),
  line(
    'J4',
    'a link to / in a template',
    409,
    /links are not followed/,
    applying(page, { also: dir => symlinkSync('/', join(dir, 'b')) }),
  ),
  line(
    'J4',
    'a template.yaml that is a symbolic link',
    409,
    /links are not followed/,
    applying(page, {
      also: dir => {
        rmSync(join(dir, 'template.yaml'))
        symlinkSync('/etc/passwd', join(dir, 'template.yaml'))
      },
    }),
  ),
  line(
    'J4',
    'a template that is a symbolic link to itself',
    409,
    /not a folder/,
    applying(page, {
      also: dir => {
        rmSync(dir, { recursive: true })
        symlinkSync(dir, dir)
      },
    }),
  ),
  line(
    'J4',
    'templates nested 12 deep',
    409,
    /deeper/,
    applying(named(`${'t/'.repeat(12)}template.yaml`)),
  ),
  line(
    'J4',
    'an alias bomb in template.yaml',
    409,
    /cannot be used/,
    applying({ ...page, 'template.yaml': aliases(9) }),
  ),
  line(
    'J4',
    '2 MB of "[" in template.yaml',
    409,
    /cannot be used/,
    applying({ ...page, 'template.yaml': '['.repeat(2_000_000) }),
  ),
  line(
    'J4',
    'a page that is not text',
    201,
    'it is a file',
    applying({ ...page, 'b.md': Buffer.from([0xff, 0xfe, 0, 1]) }),
  ),
  line(
    'J4',
    '20,000 names in a page',
    201,
    'each is filled in',
    applying(
      {
        'template.yaml': 'title: T\nrefs: {x: {kinds: url}}\n',
        'a.md': '[a](ref:x) '.repeat(20_000),
      },
      { refs: { x: { kind: 'url', url: 'https://example.org' } } },
    ),
  ),
  line(
    'J4',
    'a table of contents of 20,000 groups',
    400,
    /more than 100 groups/,
    applying({ ...page, 'SUMMARY.md': '## G\n\n'.repeat(20_000) }),
  ),
]
