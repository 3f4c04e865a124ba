import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { textWith } from './describe.ts'
import { gitLines, tryGit } from './git.ts'
import type { Description } from './ledger.ts'
import { fsck, readCommits } from './repository.ts'
import type { Rows } from './rows.ts'

type Say = (what: string) => void

/** A commit of a branch: which text it holds, or what is there in its place. */
type Version = { oid: string; token: string }

/**
 * What is wrong with the descriptions of the organization: their repository against the rows, and both against what was
 * promised of them. Settles what was in doubt.
 */
export async function checkSpecs(
  rows: Rows,
  dataDir: string,
  descriptions: readonly Description[],
  thorough: boolean,
): Promise<string[]> {
  const found: string[] = []
  const dir = join(dataDir, 'specs', 'default.git')
  const isThere = existsSync(dir)
  const branches = isThere ? await readBranches(dir) : new Map<string, Version[]>()
  const known = new Set(descriptions.map(({ id }) => id))
  // The answer that would have told its id never came.
  for (const description of descriptions)
    if (description.deleted !== 'yes')
      description.id ??= rows.specs.find(row => row.slug === description.slug && !known.has(row.id))?.id
  for (const description of descriptions)
    validateSpec(rows, branches, description, what =>
      found.push(`description ${description.slug} (${description.id}): ${what}`),
    )
  const promised = new Set(descriptions.map(({ id }) => id))
  for (const { id, slug } of rows.specs) if (!promised.has(id)) found.push(`nobody put ${slug} (${id})`)
  const wanted = new Set(rows.specs.map(({ id, slug }) => `refs/heads/${slug}.${id}`))
  for (const branch of branches.keys())
    if (!wanted.has(branch)) found.push(`descriptions: Git has ${branch}, no row does`)
  if (thorough && isThere) found.push(...(await fsck(dir)).map(what => `descriptions: ${what}`))
  return found
}

function validateSpec(
  rows: Rows,
  branches: ReadonlyMap<string, readonly Version[]>,
  description: Description,
  say: Say,
): void {
  const { id, slug, texts, deleted, visibility } = description
  const row = rows.specs.find(each => each.id === id)
  if (!row) {
    if (deleted === 'no' && [...texts.values()].includes('yes')) say('was promised, and is not there')
    if (deleted === 'maybe') description.deleted = 'yes'
    for (const [token, word] of texts) if (word === 'maybe') texts.set(token, 'no')
    return
  }
  if (deleted === 'yes') say('was promised to be deleted, and is there')
  else description.deleted = 'no'
  if (!visibility.includes(row.visibility)) say(`is ${row.visibility}, and was promised to be ${visibility}`)
  description.visibility = [row.visibility]
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

/** Texts that were promised are versions in the order in which they were put, those in doubt once or not, and no others. */
function settleTexts(texts: Description['texts'], line: readonly Version[], say: Say): void {
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

/** The commits of each branch, oldest first. */
async function readBranches(dir: string): Promise<Map<string, Version[]>> {
  const named = await gitLines(dir, ['for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads/'])
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

/** The token of the text that each commit holds; where it is not a text that anybody put, what it is. */
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
      // All that is put here is ASCII.
      const text = stdout.slice(at, at + bytes)
      at += bytes + 1
      const token = /title: (\w+)/.exec(text)?.[1] ?? ''
      return [oid, text === textWith(token) ? token : `what is not as it was put: ${JSON.stringify(text)}`]
    }),
  )
}
