import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { linkFactSteps } from '../../../src/content/links/facts.ts'
import {
  linkSources,
  type RevisionLink,
  revisionLinkSteps,
} from '../../../src/content/links/list.ts'
import { parseSummary } from '../../../src/content/summary/parse.ts'
import { buildTree } from '../../../src/content/tree/build.ts'
import { asOid } from '../../../src/lib/oid.ts'
import { atOnce } from '../../../src/lib/slices.ts'
import { readCorpora } from '../../support/corpus/corpora.ts'
import { readBlobs } from '../../support/git/read-blobs.ts'

function linksOf(repo: string, commit: string, root: string): RevisionLink[] {
  const listed = execFileSync('git', ['-C', repo, 'ls-tree', '-r', '-z', commit], {
    maxBuffer: 2 ** 28,
  })
  const files = listed
    .toString('utf8')
    .split('\0')
    .filter(line => line !== '')
    .map(line => ({ mode: line.slice(0, 6), oid: asOid(line.slice(12, 52)), path: line.slice(53) }))
  const folder = root === '.' ? '' : `${root}/`
  const config = {
    root: folder,
    readme: `${folder}README.md`,
    summary: `${folder}SUMMARY.md`,
    redirects: [],
  }
  const summaryOid = files.find(file => file.path === config.summary)!.oid
  const summary = parseSummary(readBlobs(repo, [summaryOid]).get(summaryOid)!.toString('utf8'))
  const tree = buildTree({
    spaceId: 's',
    files,
    identity: new Map(),
    config,
    summary,
    facts: () => undefined,
    variables: {},
  })
  const sources = linkSources(tree)
  const blobs = readBlobs(repo, [...new Set(sources.map(source => source.oid))])
  const facts = new Map([...blobs].map(([oid, bytes]) => [oid, atOnce(linkFactSteps(bytes))]))

  return atOnce(
    revisionLinkSteps(tree, { spaceId: 's', own: 'http://localhost' }, oid => facts.get(oid)),
  )
}

const folder = mkdtempSync(join(tmpdir(), 'link-corpora-'))
test.after(() => rmSync(folder, { recursive: true, force: true }))

for (const { name, source, commit, roots } of readCorpora())
  test(`${name}: its links are those that were counted, class by class`, () => {
    const repo = join(folder, name)
    execFileSync('git', ['clone', '-q', '--bare', source, repo])

    for (const { root, links: counted } of roots) {
      const links = linksOf(repo, commit, root)
      const byClass: Record<string, number> = {}
      for (const link of links) byClass[link.class] = (byClass[link.class] ?? 0) + 1
      assert.equal(sorted(byClass), sorted(counted.byClass))
      assert.is(links.length, counted.total)
      const prefix = root === '.' ? 0 : root.length + 1
      const broken = links
        .filter(link => link.status === 'broken')
        .map(link => `${link.source.slice(prefix)}:${link.line} ${link.target} ${link.class}`)

      assert.equal(
        broken.sort(),
        counted.brokenLinks
          .map(link => `${link.file}:${link.line} ${link.dest} ${link.cls}`)
          .sort(),
      )
      assert.is(broken.length, counted.broken)
    }
  })

const sorted = (counts: Record<string, number>) =>
  Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1))

test.run()
