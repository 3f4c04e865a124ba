import { writeFileSync } from 'node:fs'
import {
  bomb,
  commit,
  importing,
  listsOf,
  names,
  quiet,
  refused,
  says,
  top,
  who,
} from '../../importing.ts'
import { type Line, line, must } from '../../line.ts'
import { file, folder } from '../../objects.ts'

/** Hostile content of imported repositories. */
export const trees: Line[] = [
  ...refused.map(([what, entries]) =>
    line(
      'B1',
      `a tree with ${what}`,
      'failure',
      says.bad,
      importing(repo => top(repo, ...entries(repo))),
    ),
  ),
  line(
    'B1',
    'a commit without an e-mail address',
    'failure',
    says.bad,
    commit('author Mallory 1700000000 +0000\ncommitter Mallory 1700000000 +0000\n\nx\n'),
  ),
  line(
    'B1',
    'a commit with a time beyond any number',
    'failure',
    says.bad,
    commit(who('M', '99999999999999999999 +0000')),
  ),
  line(
    'B1',
    'a commit whose tree is missing',
    'failure',
    /./,
    importing(repo => '0'.repeat(39) + (repo ? '1' : '')),
  ),
  line(
    'B1',
    'a commit whose tree is a file',
    'failure',
    /./,
    importing(repo => repo.blob('x')),
  ),
  line(
    'B16',
    'a commit of 1970, a name with markup',
    'success',
    'is shown',
    commit(who('<script>alert(1)</script>'.replace(/[<>]/g, ''), '0 +0000')),
  ),
  line(
    'B16',
    'a commit of the year 9999',
    'success',
    'is shown',
    commit(who('M', '253402300799 +0000')),
  ),
  line(
    'B16',
    'an author of 1 MB',
    'success|failure',
    'is shown, cut',
    commit(who('M'.repeat(1_000_000), '1700000000 +0000')),
  ),
  line(
    'B16',
    'a message declared as UTF-16',
    'success',
    'is shown',
    commit(who('M', '1700000000 +0000').replace('\n\n', '\nencoding UTF-16\n\n')),
  ),
  line(
    'B2',
    'links to /etc/passwd, upwards and to themselves',
    'success',
    'none is followed',
    importing(
      repo =>
        top(
          repo,
          ...['/etc/passwd', '../../x', 'loop.md', '.'].map((target, i) => ({
            mode: '120000',
            name: ['a.md', 'b.md', 'loop.md', 'd'][i] ?? '',
            oid: repo.blob(target),
          })),
        ),
      async (stage, space) => {
        for (const path of ['a', 'b', 'loop', 'd']) {
          const { status } = await stage.call('GET', `/v1/spaces/${space}/content/path/${path}`)
          must(status === 404, `${path} answers ${status}`)
        }
      },
    ),
  ),
  line(
    'B3',
    'a submodule with a URL of this host',
    'success',
    'nothing is fetched',
    quiet(repo =>
      top(
        repo,
        { mode: '160000', name: 'sub', oid: '1'.repeat(40) },
        file(
          '.gitmodules',
          repo.blob('[submodule "sub"]\n\tpath = sub\n\turl = https://canary.example.org/x.git\n'),
        ),
      ),
    ),
  ),
  line(
    'B4',
    '.gitattributes with drivers, filters and an encoding',
    'success',
    'has no effect',
    importing(
      repo =>
        top(
          repo,
          file(
            '.gitattributes',
            repo.blob('* merge=ours filter=x diff=y working-tree-encoding=UTF-16 export-ignore\n'),
          ),
        ),
      listsOf('Home'),
    ),
  ),
  line(
    'B4',
    '.gitattributes that is a symbolic link',
    'success|failure',
    'has no effect',
    importing(repo =>
      top(repo, { mode: '120000', name: '.gitattributes', oid: repo.blob('/etc/passwd') }),
    ),
  ),
  line(
    'B4',
    '.gitattributes of 50 MB',
    'success|failure',
    'has no effect',
    importing(repo => top(repo, file('.gitattributes', repo.blob(Buffer.alloc(50_000_000, 10))))),
    { slow: true },
  ),
  line(
    'B5',
    'names with a line break, ESC, invalid UTF-8, 5,000 bytes',
    'success',
    'are omitted',
    names(
      'a\nb.md',
      'a\u001b[31m.md',
      Buffer.from([0x61, 0xff, 0xfe, 0x2e, 0x6d, 0x64]),
      `${'x'.repeat(5000)}.md`,
    ),
  ),
  line(
    'B5',
    'a name with right-to-left overrides',
    'failure',
    'is refused',
    names('a\u202egpj.md'),
  ),
  line(
    'B6',
    'names that are paths to other folders',
    'success|failure',
    'are no paths of the host',
    names('..\\..\\x.md', 'C:\\x.md', 'CON.md', 'a.md.', 'b.md ', 'a.md:x', '\\\\server\\share.md'),
  ),
  line(
    'B6',
    'pages named __proto__, constructor, toString',
    'success',
    'are shown',
    importing(
      repo =>
        top(
          repo,
          ...['__proto__.md', 'constructor.md', 'toString.md', 'hasOwnProperty.md'].map(name =>
            file(name, repo.blob(`# ${name}\n`)),
          ),
        ),
      listsOf('__proto__.md', 'constructor.md', 'toString.md'),
    ),
  ),
  line(
    'B7',
    'names that differ only in case, or in Unicode form',
    'success',
    'all are kept',
    importing(
      repo =>
        top(
          repo,
          ...['Page.md', 'page.md', 'PAGE.md', 'caf\u00e9.md', 'cafe\u0301.md'].map(name =>
            file(name, repo.blob(`# ${name}\n`)),
          ),
        ),
      listsOf('Page.md', 'page.md', 'PAGE.md', 'caf\u00e9.md', 'cafe\u0301.md'),
    ),
  ),
  line(
    'B7',
    'a file "a.md" beside a folder "a" with a README',
    'success',
    'both are kept',
    importing(
      repo =>
        top(
          repo,
          file('a.md', repo.blob('# File\n')),
          folder('a', repo.tree([file('README.md', repo.blob('# Folder\n'))])),
        ),
      listsOf('File', 'Folder'),
    ),
  ),
  line(
    'B8',
    'a tree of 10^10 files in 12 objects',
    'failure',
    says.many,
    importing(repo => bomb(repo, 10, 10)),
  ),
  line(
    'B8',
    'a tree of 2^60 files in 62 objects',
    'failure',
    /more than 100,000 files|deeper/,
    importing(repo => bomb(repo, 60, 2)),
  ),
  line(
    'B9',
    'folders 200 levels deep',
    'failure',
    says.deep,
    importing(repo => bomb(repo, 200, 1)),
  ),
  line(
    'B9',
    'folders 20,000 levels deep',
    'failure',
    /./,
    importing(repo => bomb(repo, 20_000, 1)),
    { slow: true },
  ),
  line(
    'B10',
    '200,000 files in one folder',
    'failure',
    says.many,
    importing(repo => {
      const oid = repo.blob('x')
      return repo.tree(Array.from({ length: 200_000 }, (_, i) => file(`f${i}.txt`, oid)))
    }),
  ),
  line(
    'B10',
    '99,000 files in one folder',
    'success',
    'is shown',
    importing(repo => {
      const oid = repo.blob('x')
      return repo.tree(Array.from({ length: 99_000 }, (_, i) => file(`f${i}.txt`, oid)))
    }),
    // A tree of so many entries is read in one piece.
    { slow: true, mostWait: 600 },
  ),
  line(
    'B10',
    '30,000 pages in one folder',
    'success',
    'is shown',
    importing(repo => {
      return repo.tree(
        Array.from({ length: 30_000 }, (_, i) =>
          file(`f${i}.md`, repo.blob(i % 100 ? '# x\n' : `# ${i}\n`)),
        ),
      )
    }),
    { slow: true },
  ),
  line(
    'B11',
    '300 MB of zeros in a pack of 300 KB',
    'failure',
    says.large,
    importing(repo => top(repo, file('zeros.md', repo.blob(Buffer.alloc(300_000_000))))),
    { slow: true },
  ),
  line('B13', 'an object with a wrong checksum', 'failure', /./, async stage => {
    const seen = await importing(repo => {
      const oid = repo.blob('# good\n')
      writeFileSync(`${repo.dir}/objects/${oid.slice(0, 2)}/${oid.slice(2)}`, 'garbage')
      return top(repo, file('bad.md', oid))
    })(stage)
    return seen
  }),
  line(
    'B15',
    '2,000 branches',
    'success',
    'only the one is taken',
    importing(repo => {
      const tree = top(repo)
      for (let i = 0; i < 2000; i++) repo.commit(tree, { ref: `refs/heads/b/${i}` })
      return tree
    }),
    { slow: true },
  ),
]
