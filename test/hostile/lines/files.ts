import { objectId } from '../../support/git/raw-pack.ts'
import { importOf } from '../import.ts'
import { type Line, line, must, type Seen, unchanged } from '../line.ts'
import { file, makeRepository } from '../objects.ts'
import { type Stage, send } from '../stage.ts'

const upload =
  (name: string, fields: object = { contentType: 'image/png', base64: 'AAAA' }) =>
  (stage: Stage) =>
    stage.call('POST', '/v1/spaces/{space}/content', {
      body: { changes: [{ operation: 'insert_files', files: [{ name, ...fields }] }] },
    })

const rename = (name: string) => (stage: Stage) =>
  stage.call('POST', '/v1/spaces/{space}/content', {
    body: { changes: [{ operation: 'rename_file', file: stage.ids.file, name }] },
  })

const badNames = [
  '../../x',
  'a/b',
  '.git/config',
  '.git',
  '.GIT',
  'git~1',
  '..',
  '.',
  'a\\b',
  'a\nb',
  ' ',
  'x'.repeat(256),
  `${'ä'.repeat(200)}.png`,
]

/** Sends a folder with one file more than a page, which must not change the space. */
const folder = (path: string, text: string, mode = '100644') =>
  unchanged('/v1/spaces/{space}/content/pages', stage => {
    const files = { 'README.md': '# Start\n', [path]: text }
    return stage.call('POST', '/v1/spaces/{space}/git/folder', {
      body: {
        files: Object.fromEntries(
          Object.entries(files).map(([name, content]) => [
            name,
            `${name === path ? mode : '100644'} ${objectId('blob', Buffer.from(content))}`,
          ]),
        ),
        force: true,
        contents: Object.values(files).map(content => Buffer.from(content).toString('base64')),
      },
    })
  })

/** Files that a browser might run, and files with problematic names. */
const served: [name: string, content: string | Buffer, type: RegExp][] = [
  ['a.html', '<script>alert(1)</script>', /^application\/octet-stream$/],
  ['a.xhtml', '<script/>', /^application\/octet-stream$/],
  ['a.xml', '<?xml-stylesheet href="x"?><a/>', /^application\/octet-stream$/],
  [
    'a.svg',
    '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
    /^(image\/svg\+xml|application\/octet-stream)$/,
  ],
  ['a.js', 'alert(1)', /^application\/octet-stream$/],
  ['a.mjs', 'alert(1)', /^application\/octet-stream$/],
  ['a.pdf', '%PDF-1.4 /JS', /^application\/pdf$/],
  ['a.swf', 'CWS', /^application\//],
  ['a.htm', '<script>', /^application\/octet-stream$/],
  ['a.shtml', '<script>', /^application\/octet-stream$/],
  ['a.hta', '<script>', /^application\//],
  ['a.gif', 'GIF89a/*<script>*/=1', /^image\/gif$/],
  ['fake.png', '<script>alert(1)</script>', /^application\/octet-stream$/],
  ['quote"; x=y.png', 'x', /octet-stream/],
  ['ümläut ★.bin', 'x', /octet-stream/],
]

const address = async (stage: Stage, space: string, name: string): Promise<string> => {
  const { text } = await stage.call('GET', `/v1/spaces/${space}/content/files?limit=1000`)
  const decoded = JSON.parse(Buffer.from(text, 'latin1').toString('utf8')) as {
    items: { name: string; downloadURL: string }[]
  }
  const found = decoded.items.find(item => item.name === name)
  must(found, `${name} is not listed`)
  return found.downloadURL
}

const get = (url: string, headers: Record<string, string> = {}): Promise<Seen> => {
  const { origin, pathname, search } = new URL(url)
  return send(origin, 'GET', pathname + search, undefined, headers)
}

async function spaceOfFiles(stage: Stage): Promise<string> {
  if (stage.ids.files) return stage.ids.files
  const repo = makeRepository(stage.folder, 'files')
  const entries = served.map(([name, content]) => file(name, repo.blob(content)))
  repo.commit(repo.tree([...entries, file('README.md', repo.blob('# Files\n'))]))
  const done = await importOf(stage, 'files')
  must(done.status === 'success', done.text)
  stage.ids.files = done.space
  return done.space
}

const download =
  (name: string, type: RegExp) =>
  async (stage: Stage): Promise<Seen> => {
    const seen = await get(await address(stage, await spaceOfFiles(stage), name))
    const { headers = {} } = seen
    const held = String(headers['content-type']).split(';')[0] ?? ''
    must(type.test(held), `is served as ${held}`)
    must(headers['x-content-type-options'] === 'nosniff', 'may be sniffed')
    must(headers['content-security-policy']?.startsWith('sandbox'), 'has no sandbox')
    const disposition = headers['content-disposition'] ?? ''

    must(
      /^(attachment|inline); filename="[\x20\x21\x23-\x5b\x5d-\x7e]*"; filename\*=UTF-8''[\w.!~*'()%-]*$/.test(
        disposition,
      ),
      disposition,
    )

    must(
      disposition.startsWith('attachment') || held === 'image/gif',
      `is shown in place: ${disposition}`,
    )

    return { status: seen.status, text: '' }
  }

const range = (value: string) => async (stage: Stage) =>
  get(await address(stage, await spaceOfFiles(stage), 'a.html'), { range: value })

const altered = (change: (url: URL, stage: Stage) => void) => async (stage: Stage) => {
  const url = new URL(await address(stage, await spaceOfFiles(stage), 'a.html'))
  change(url, stage)
  return get(url.href)
}

export const files: Line[] = [
  ...badNames.flatMap(name => [
    line('D1', `an upload named ${JSON.stringify(name.slice(0, 20))}`, 400, /name/, upload(name)),
    line('D1', `a file renamed to ${JSON.stringify(name.slice(0, 20))}`, 400, /name/, rename(name)),
  ]),
  line('D1', 'an upload with a NUL in its name', 400, /NUL/, upload('a\0b')),
  line('D1', 'an upload without a name', 400, /name/, upload('')),
  line('D1', 'an upload with a name of 5,000 bytes', 400, /name/, upload('x'.repeat(5000))),
  line(
    'B6',
    'an upload named "CON.md"',
    '200|400',
    'is never a path of the host',
    upload('CON.md'),
  ),
  line(
    'B6',
    'an upload named "a.md:x"',
    '200|400',
    'is never a path of the host',
    upload('a.md:x'),
  ),
  line('B6', 'an upload named "C:\\x"', 400, /name/, upload('C:\\x')),
  line(
    'D4',
    'an upload of 0 bytes',
    400,
    /base64/,
    upload('a.png', { contentType: 'image/png', base64: '' }),
  ),
  line(
    'D4',
    'an upload that is not base64',
    400,
    /base64/,
    upload('a.png', { contentType: 'image/png', base64: '<>' }),
  ),
  line(
    'D4',
    'a picture declared as text/html',
    200,
    /./,
    upload('b.png', { contentType: 'text/html', base64: 'AAAA' }),
  ),
  line(
    'I1',
    'an upload from file:///etc/passwd',
    400,
    /url/,
    upload('a.png', { url: 'file:///etc/passwd' }),
  ),
  line(
    'I1',
    'an upload from javascript:',
    400,
    /url/,
    upload('a.png', { url: 'javascript:alert(1)' }),
  ),
  line(
    'I1',
    'an upload from a URL with a password',
    400,
    /user name or password/,
    upload('a.png', { url: 'http://a:b@127.0.0.1/' }),
  ),
  ...served.map(([name, , type]) =>
    line(
      'D3',
      `the download of ${JSON.stringify(name)}`,
      200,
      `${type.source}, saved and sandboxed`,
      download(name, type),
    ),
  ),
  ...['guide\u202e.md', 'a\u202e/guide.md', 'gu\u200bide.md'].map(path =>
    line(
      'X198',
      `a folder with a file named ${encodeURIComponent(path)}`,
      400,
      /invisible character/,
      folder(path, '# Guide\n'),
    ),
  ),
  line(
    'X198',
    'a folder with a .gitmodules that has an option as its address',
    400,
    /\.gitmodules/,
    folder('.gitmodules', '[submodule "x"]\n\tpath = x\n\turl = -u./payload\n'),
  ),
  line(
    'X199',
    'a folder with a link',
    400,
    /mode|link|100644/i,
    folder('a.md', '/etc/passwd', '120000'),
  ),
  line('D6', '1,000 ranges', 416, /single range/, range(`bytes=${'0-,'.repeat(1000)}0-`)),
  line('D6', 'overlapping ranges', 416, /single range/, range('bytes=0-5,1-6')),
  line('D6', 'a range that begins at the end', 416, /single range/, range('bytes=99999999999999-')),
  line('D6', 'a reversed range', 416, /single range/, range('bytes=5-1')),
  line('D6', 'a range of no bytes', 416, /single range/, range('bytes=-0')),
  line('D6', 'a malformed range', '200|416', /./, range('bytes=a-b')),
  line(
    'D2',
    'a download with a wrong signature',
    404,
    /no file/,
    altered(url => url.searchParams.set('signature', 'x'.repeat(43))),
  ),
  line(
    'D2',
    'a download without a signature',
    404,
    /no file/,
    altered(url => url.searchParams.delete('signature')),
  ),
  line(
    'D2',
    'a download with a later expiry',
    404,
    /no file/,
    altered(url => url.searchParams.set('expires', '99999999999')),
  ),
  line(
    'D2',
    'a download without an expiry',
    404,
    /no file/,
    altered(url => url.searchParams.set('expires', 'public')),
  ),
  line(
    'D2',
    'a download under another name',
    404,
    /no file/,
    altered(url => {
      url.pathname = url.pathname.replace('a.html', 'b.png')
    }),
  ),
  line(
    'D2',
    'a download from another space',
    404,
    /no file/,
    altered((url, stage) => {
      url.pathname = url.pathname.replace(/\/files\/[^/]+/, `/files/${stage.ids.space}`)
    }),
  ),
  line(
    'D2',
    'a download with two signatures',
    404,
    /no file/,
    altered(url => url.searchParams.append('signature', 'x')),
  ),
]
