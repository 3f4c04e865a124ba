import { type Figure, interleave, type Pace, typical } from '../figure.ts'
import { crowd, fillOrganization, type Lookers } from '../people.ts'
import { withStemma } from '../stemma.ts'

const path = '/v1/orgs/default/spaces'

/** The list of an organization's spaces, for users who see some of them, one, and all. */
export const spaceList = (pace: Pace): Promise<Figure[]> =>
  withStemma(async stemma => {
    let lookers: Lookers | undefined
    await stemma.restart(() => {
      lookers = fillOrganization(stemma)
    })
    const { member, guest, creator } = lookers as Lookers
    const seen = { member: await pageThrough(member), guest: await pageThrough(guest) }
    if (seen.member !== crowd.visible || seen.guest !== 1)
      throw new Error(`The member sees ${seen.member} spaces, the guest ${seen.guest}.`)

    const page = (headers: Record<string, string>) => () =>
      typical(50, async () => (await stemma.caller.call('GET', path, { headers })).ms)
    const ms = await interleave(pace.rounds, {
      member: page(member),
      guest: page(guest),
      creator: page(creator),
    })
    const target = { of: 'figure', is: 'under', value: 30 } as const
    const among = `in an organization of ${crowd.spaces} spaces`
    return [
      {
        work: `list of spaces for a member of ${crowd.teams} teams ${among}, p50 of a page`,
        value: ms.member,
        unit: 'ms',
        target,
        note: `${crowd.visible} of them seen, ${crowd.permissions} permissions`,
      },
      { work: `the same for a guest who sees one`, value: ms.guest, unit: 'ms', target },
      { work: `the same for one who sees all`, value: ms.creator, unit: 'ms', target },
    ]

    /** Counts the spaces that a user sees, page by page. */
    async function pageThrough(headers: Record<string, string>): Promise<number> {
      let count = 0
      for (let next: string | undefined = ''; next !== undefined; ) {
        const answer = await stemma.caller.json('GET', `${path}${next}`, { headers })
        count += answer.items.length
        next = answer.next && `?page=${answer.next.page}`
      }
      return count
    }
  })
