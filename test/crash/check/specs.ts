import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { textWith } from '../clients/describe.ts'
import { gitLines, tryGit } from '../clients/git.ts'
import { fsck, readCommits } from '../clients/repository.ts'
import type { PromisedSpec } from '../ledger.ts'
import type { Rows } from './rows.ts'

type Say = (what: string) => void

/** A commit of a branch: the token of its text, or what it has instead. */
type Version = { oid: string; token: string }

/**
 * Returns what is wrong with the specs of the organization: compares their repository with the
 * rows, and both with the acknowledged writes. Settles writes with an unknown outcome.
 */
export async function checkSpecs(
  rows: Rows,
  dataDir: string,
  specs: readonly PromisedSpec[],
  thorough: boolean,
): Promise<string[]> {
  const found: string[] = []
  const dir = join(dataDir, 'specs', 'default.git')
  const isThere = existsSync(dir)
  const branches = isThere ? await readBranches(dir) : new Map<string, Version[]>()
  const known = new Set(specs.map(({ id }) => id))

  // The response with its id was lost.
  for (const spec of specs)
    if (spec.deleted !== 'yes')
      spec.id ??= rows.specs.find(row => row.slug === spec.slug && !known.has(row.id))?.id
  for (const spec of specs)
    checkSpec(rows, branches, spec, what => found.push(`spec ${spec.slug} (${spec.id}): ${what}`))
  const promised = new Set(specs.map(({ id }) => id))

  for (const { id, slug } of rows.specs)
    if (!promised.has(id)) found.push(`nobody put ${slug} (${id})`)
  const wanted = new Set(rows.specs.map(({ id, slug }) => `refs/heads/${slug}.${id}`))

  for (const branch of branches.keys())
    if (!wanted.has(branch)) found.push(`specs: Git has ${branch}, no row does`)
  found.push(...compareMirror(rows, branches))
  if (thorough && isThere) found.push(...(await fsck(dir)).map(what => `specs: ${what}`))

  return found
}

/** Compares the mirror of the refs with the branches. */
function compareMirror(rows: Rows, branches: ReadonlyMap<string, readonly Version[]>): string[] {
  const mirrored = rows.refs
    .filter(({ space_id }) => space_id === 'specs:default')
    .map(({ name, oid }) => `${name} ${oid}`)
  const inGit = [...branches].map(([name, line]) => `${name} ${line.at(-1)?.oid}`)
  return mirrored.sort().join() === inGit.sort().join()
    ? []
    : [`specs: the mirror has ${mirrored}, Git ${inGit}`]
}

function checkSpec(
  rows: Rows,
  branches: ReadonlyMap<string, readonly Version[]>,
  spec: PromisedSpec,
  say: Say,
): void {
  const { id, slug, texts, deleted, visibility } = spec
  const row = rows.specs.find(each => each.id === id)
  if (!row) {
    if (deleted === 'no' && [...texts.values()].includes('yes'))
      say('was promised, and is not there')
    if (deleted === 'maybe') spec.deleted = 'yes'
    for (const [token, word] of texts) if (word === 'maybe') texts.set(token, 'no')
    return
  }

  if (deleted === 'yes') say('was promised to be deleted, and is there')
  else spec.deleted = 'no'
  if (!visibility.includes(row.visibility))
    say(`is ${row.visibility}, and was promised to be ${visibility}`)
  spec.visibility = [row.visibility]
  const line = branches.get(`refs/heads/${slug}.${id}`) ?? []
  if (row.last_version !== (line.at(-1)?.oid ?? null))
    say(`its last version is ${row.last_version}, its branch is at ${line.at(-1)?.oid}`)
  if (row.state !== 'complete' || row.error_code || row.errors !== '[]')
    say(`is ${row.state}, with ${row.error_code} ${row.errors}`)
  if (row.waiting > 0) say(`${row.waiting} texts wait to be read`)

  const named = rows.versions.filter(each => each.spec_id === id).map(each => each.id)
  const oids = line.map(({ oid }) => oid)
  if (named.join() !== oids.join()) say(`its rows have the versions ${named}, its branch ${oids}`)
  settleTexts(texts, line, say)
}

/**
 * Acknowledged texts must be versions in the order of the requests, uncertain ones at most once,
 * and there must be no others.
 */
function settleTexts(texts: PromisedSpec['texts'], line: readonly Version[], say: Say): void {
  const tokens = line.map(({ token }) => token)
  for (const token of tokens) if (!texts.has(token)) say(`nobody put ${token}`)

  for (const [token, word] of texts) {
    const count = tokens.filter(each => each === token).length
    if (count > 1) say(`${token} is ${count} of its versions`)
    if (count === 0 && word === 'yes') say(`${token} is lost`)
    if (count > 0 && word === 'no') say(`${token} was refused, and is a version`)
    texts.set(token, count > 0 ? 'yes' : 'no')
  }

  const order = [...texts.keys()].filter(token => tokens.includes(token))
  const here = [...new Set(tokens)].filter(token => texts.has(token))
  if (order.join() !== here.join()) say(`its texts were put as ${order}, and are there as ${here}`)
}

/** Returns the commits of each branch, oldest first. */
async function readBranches(dir: string): Promise<Map<string, Version[]>> {
  const named = await gitLines(dir, [
    'for-each-ref',
    '--format=%(objectname) %(refname)',
    'refs/heads/',
  ])
  if (named.length === 0) return new Map()
  const commits = await readCommits(dir, ['--branches'])
  const tokens = await readTokens(dir, [...commits.keys()])

  return new Map(
    named.map(ref => {
      const line: Version[] = []
      for (let at = commits.get(ref.slice(0, 40)); at; at = commits.get(at.parents[0] ?? '')) {
        const many = at.parents.length > 1 ? ` with ${at.parents.length} parents` : ''
        line.unshift({ oid: at.oid, token: `${tokens.get(at.oid)}${many}` })
      }
      return [ref.slice(41), line]
    }),
  )
}

/** Returns the token of each commit's text, or a summary of a text that no client put. */
async function readTokens(dir: string, oids: readonly string[]): Promise<Map<string, string>> {
  const asked = oids.map(oid => `${oid}:openapi.yaml\n`).join('')
  const { stdout } = await tryGit(dir, ['cat-file', '--batch'], asked)
  let at = 0

  return new Map(
    oids.map(oid => {
      const end = stdout.indexOf('\n', at)
      const head = stdout.slice(at, end)
      const bytes = Number(/^[0-9a-f]{40} blob (\d+)$/.exec(head)?.[1])
      at = end + 1
      if (Number.isNaN(bytes)) return [oid, head]

      // All texts are ASCII.
      const text = stdout.slice(at, at + bytes)

      at += bytes + 1
      const token = /title: (\w+)/.exec(text)?.[1] ?? ''

      return [
        oid,
        text === textWith(token) ? token : `what is not as it was put: ${JSON.stringify(text)}`,
      ]
    }),
  )
}
