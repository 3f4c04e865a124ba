import { rmSync } from 'node:fs'
import * as assert from 'uvu/assert'
import { fsck, gitOutside } from '../support/git/repo.ts'
import { insertPage, type Original, repositoryOf, serve, stemma } from './folder.ts'

/** The damage to a repository, and its expected effects. */
export type Damage = {
  state?: 'loose' | 'packed'
  /** Damages the repository in the given folder. */
  hurt: (dir: string) => void
  /** What `verify` reports about it. */
  said: RegExp
  /** The paths of the damaged space that are still served, and those that are not. */
  served?: string[]
  broken?: string[]
  /** Whether the folder itself has everything needed for the repair, without a backup. */
  alone?: boolean
}

export const reads = (title: string) => `content/path/${title}`
export const requests = 'change-requests'

/**
 * Tells the story of one damage: `verify` reports it, the server starts and serves what is intact,
 * other reads fail with a plain 500, `repair` restores it from the backup while the server runs,
 * and everything is served as before without a restart.
 */
export async function tell(
  original: Original,
  { state, hurt, said, served = [], broken = [], alone = false }: Damage,
): Promise<void> {
  const dataDir = original.copy(state)
  const dir = repositoryOf(dataDir, original.hurt)
  const refs = gitOutside(dir, ['for-each-ref'])
  const space = `/v1/spaces/${original.hurt}`

  hurt(dir)
  const verified = await stemma(dataDir, 'verify')

  assert.is(verified.code, 1, verified.stdout)
  assert.match(verified.stdout, said)
  assert.match(verified.stdout, new RegExp(`^space ${original.hurt}:`, 'm'))
  assert.match(verified.stdout, new RegExp(`To do: .*stemma repair --space ${original.hurt}`))
  assert.not.match(verified.stdout, new RegExp(original.whole))

  const server = await serve(original, dataDir)

  try {
    const elsewhere = `/v1/spaces/${original.whole}/content`
    assert.is((await server.get(`${elsewhere}/path/alpha`)).status, 200)
    assert.is((await server.post(elsewhere, insertPage('New'))).status, 200)
    assert.is((await server.get('/v1/orgs/acme/spaces')).status, 200)
    for (const path of served) assert.is((await server.get(`${space}/${path}`)).status, 200, path)

    for (const path of broken) {
      const { status, text, body } = await server.get(`${space}/${path}`)
      assert.is(status, 500, `${path} ${text}`)
      assert.match(body.error.message, /^[A-Z][^/]+\.$/)
    }

    const from = alone ? [] : ['--from', original.backup]
    const repaired = await stemma(dataDir, 'repair', '--space', original.hurt, ...from)

    assert.is(repaired.code, 0, repaired.stdout + repaired.stderr)
    assert.match(repaired.stdout, /The space is intact\.\n$/)
    for (const path of [...served, ...broken, 'content/pages', 'revisions', `${requests}/1`])
      assert.is((await server.get(`${space}/${path}`)).status, 200, path)
    const { body } = await server.get(`${space}/content/pages`)

    assert.equal(
      body.pages.map((page: { title: string }) => page.title),
      ['Hurt', 'Alpha', 'Beta', 'Delta'],
    )
    assert.is(gitOutside(dir, ['for-each-ref']), refs)
    assert.is((await server.post(`${space}/content`, insertPage('Mended'))).status, 200)
  } finally {
    await server.stop()
  }

  fsck({ dir })
  const after = await stemma(dataDir, 'verify')

  assert.is(after.code, 0, after.stdout)
  rmSync(dataDir, { recursive: true })
}
