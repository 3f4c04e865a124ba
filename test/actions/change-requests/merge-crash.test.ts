import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceFolder } from '../../../src/actions/repositories/space-repository.ts'
import { fsck, gitOutside } from '../../support/git/repo.ts'
import { openKillable } from '../../support/killable.ts'

const rounds = Number(process.env.CRASH_ROUNDS ?? 2)
const { dataDir, serve, end, remove } = await openKillable()

test.after(remove)

test('a server killed while merging leaves every change request either merged or unmerged', async () => {
  let admin = await serve()
  const { body: space } = await admin.post('/v1/orgs/default/spaces', { title: 'Crash' })
  const path = `/v1/spaces/${space.id}/change-requests`
  const dir = spaceFolder(dataDir, space.id)

  for (let round = 0; round < rounds; round++) {
    const numbers: number[] = []
    for (let i = 0; i < 5; i++) {
      const { body } = await admin.post(path, { subject: `Round ${round}, ${i}` })
      push(dir, body.number, body.revision)
      numbers.push(body.number)
    }

    const acknowledged: number[] = []
    const asked = numbers.map(number =>
      admin.post(`${path}/${number}/merge`).then(
        ({ status }) => status === 200 && acknowledged.push(number),
        () => undefined,
      ),
    )

    await new Promise(resolve => setTimeout(resolve, 10 + Math.random() * 120))
    await end('SIGKILL')
    await Promise.all(asked)

    admin = await serve()

    for (const number of numbers) {
      const { body } = await admin.get(`${path}/${number}`)
      const merged = body.status === 'merged'
      if (acknowledged.includes(number)) assert.ok(merged, `${number} was acknowledged`)
      assert.is(isIn(dir, body.revision, 'main'), merged, `${number} is ${body.status}`)
      const branch = gitOutside(dir, ['for-each-ref', `refs/heads/change-requests/${number}`])

      assert.is(branch === '', merged, `${number} has "${branch}"`)

      if (!merged) {
        assert.is((await admin.post(`${path}/${number}/merge`)).body.result, 'merge')
        continue
      }

      const parents = gitOutside(dir, ['rev-list', '--parents', '-1', body.revisionMerged]).split(
        ' ',
      )

      assert.is(parents.length, 3)
      assert.is(parents[2], body.revision)
    }

    fsck({ dir })
  }

  const { body } = await admin.get(`/v1/spaces/${space.id}/revisions?limit=1000`)

  assert.is(body.count, 1 + rounds * 5)
  await end('SIGTERM')
})

/** A commit on the branch that adds its own file. */
function push(dir: string, number: number, head: string): void {
  const blob = gitOutside(dir, ['hash-object', '-w', '--stdin'], `${number}\n`)
  const entries = gitOutside(dir, ['ls-tree', head])
  const tree = gitOutside(dir, ['mktree'], `${entries}\n100644 blob ${blob}\tpage-${number}.md\n`)
  const commit = gitOutside(dir, ['commit-tree', tree, '-p', head], `Adds page ${number}\n`)
  gitOutside(dir, ['update-ref', `refs/heads/change-requests/${number}`, commit, head])
}

function isIn(dir: string, commit: string, branch: string): boolean {
  return gitOutside(dir, ['rev-list', '-1', commit, `^${branch}`]) === ''
}

test.run()
