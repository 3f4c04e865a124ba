import { z } from 'zod'
import { isFirstAdmin, organization } from '../../access/guards/organization.ts'
import { self } from '../../access/guards/self.ts'
import type { OrganizationRow } from '../../store/tables/rows.ts'
import { page, redirectTo } from '../frame/page.ts'
import { takeSecret } from '../frame/shown-once.ts'
import { organizationsOf } from '../home/visible-spaces.ts'
import { Commands } from '../parts/commands.tsx'
import { A, ButtonLink } from '../parts/link.tsx'
import { Empty, Pager, Row, Rows, Section } from '../parts/pieces.tsx'
import { useAt } from '../parts/surroundings.ts'
import { Invitations } from './invitations.tsx'
import { loadPeople, type People } from './load-people.ts'
import { PersonRow } from './person.tsx'

/** Leads to the members of the only organization of a user, or lists the organizations. */
export const organizationsPage = page({
  path: '/people',
  scope: undefined,
  access: self,
  load: ({ ctx, actor, user }) => {
    const own = organizationsOf(ctx, actor, 'organization:read')
      .map(each => each.organization)
      .filter(({ member_role }) => member_role !== null)
    const [only] = own
    if (only && own.length === 1) return redirectTo(`/people/${only.id}`)
    return { organizations: own, creates: isFirstAdmin(ctx, user) }
  },
  view: ({ organizations, creates }) => ({
    title: 'People',
    actions: creates && <NewOrganization />,
    body:
      organizations.length === 0 ? (
        <Empty>You do not belong to an organization whose members you may see.</Empty>
      ) : (
        <Rows>
          {organizations.map(({ id, title }) => (
            <Row to={`/people/${id}`} title={title} />
          ))}
        </Rows>
      ),
  }),
})

/** The position of a page of the list: a time and the id of a user. */
const Position = z
  .string()
  .max(200)
  .transform(text => text.split('~', 2))
  .pipe(z.tuple([z.string(), z.string()]))

export const peoplePage = page({
  path: '/people/:organizationId',
  scope: 'organization:read',
  access: organization('read'),
  query: z.object({
    search: z.string().trim().max(200).optional(),
    after: Position.optional(),
  }),
  load: ({ ctx, organization: of, member, me, session, query: { search, after } }) => {
    const isAdmin = member.role === 'admin'
    const wanted = { organizationId: of.id, viewerId: me.id, isAdmin, after }
    return {
      ...loadPeople(ctx, { ...wanted, search: search || undefined }),
      secret: takeSecret(ctx, session.id, `invite ${of.id}`),
      ...{ organization: of, isAdmin, search: search ?? '', isFirst: after === undefined },
      meId: me.id,
      creates: isFirstAdmin(ctx, me),
    }
  },
  view: people => ({
    title: `People of ${people.organization.title}`,
    crumbs: [{ title: 'People', to: '/people' }],
    width: 'wide',
    actions: people.creates && <NewOrganization />,
    body: (
      <div class="stacked">
        <Invitations {...people} />
        <Members {...people} />
        {people.isAdmin && <TokensOfOthers />}
      </div>
    ),
  }),
})

const NewOrganization = () => <ButtonLink to="/organizations/new">New organization</ButtonLink>

function Search({ path, search }: { path: string; search: string }) {
  const at = useAt()
  return (
    <search>
      <form action={at(path)} class="filter">
        <div class="field">
          <label for="~search">Name or e-mail address</label>
          <input id="~search" name="search" type="search" value={search} maxlength={200} />
        </div>
        <button type="submit" class="btn">
          Search
        </button>
      </form>
    </search>
  )
}

const TokensOfOthers = () => (
  <Section title="Tokens" id="tokens">
    <p class="muted">
      Everyone creates their own under <A to="/account">Your account</A>. For a program, such as a
      CI, add a user on the server, and a token that belongs to it:
    </p>
    <Commands
      text={
        'stemma user create --name CI --email ci@example.org --role edit\nstemma token create --user ci@example.org --name ci'
      }
    />
  </Section>
)

type MembersProps = People & {
  organization: OrganizationRow
  isAdmin: boolean
  search: string
  isFirst: boolean
  meId: string
}

function Members(props: MembersProps) {
  const { organization: of, people, isAdmin, search, isFirst, next, meId } = props
  const path = `/people/${of.id}`
  const query = search === '' ? {} : { search }
  return (
    <Section title="Members" id="members">
      <Search path={path} search={search} />
      {people.length === 0 ? (
        <Empty>
          No member has “{search}” in their name or address. <A to={path}>Show all</A>
        </Empty>
      ) : (
        <Rows>
          {people.map(person => (
            <PersonRow {...person} isAdmin={isAdmin} isMe={person.user.id === meId} />
          ))}
        </Rows>
      )}
      <Pager
        newer={isFirst ? undefined : `${path}?${new URLSearchParams(query)}`}
        older={next && `${path}?${new URLSearchParams({ ...query, after: next })}`}
      />
    </Section>
  )
}
