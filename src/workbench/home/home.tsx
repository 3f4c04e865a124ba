import { self } from '../../access/guards/self.ts'
import { page } from '../frame/page.ts'
import { Empty, Row, Rows, Section } from '../parts/pieces.tsx'
import { firstSpaces, organizationsOf } from './visible-spaces.ts'

/** The most spaces of an organization that are listed. */
const mostSpaces = 50

export const home = page({
  path: '',
  scope: undefined,
  access: self,
  load: ({ ctx, actor, me }) =>
    organizationsOf(ctx, actor).map(({ organization, admitted }) => ({
      organization,
      spaces: firstSpaces(admitted, {
        organizationId: organization.id,
        userId: me.id,
        limit: mostSpaces,
      }),
    })),
  view: organizations => ({
    title: 'Home',
    width: 'wide',
    body: (
      <>
        {organizations.map(({ organization, spaces }) => (
          <Section title={organization.title} id={`spaces-${organization.id}`}>
            {spaces.length === 0 ? (
              <Empty>There is no space here that you may read.</Empty>
            ) : (
              <Rows>
                {spaces.map(({ space }) => (
                  <Row to={`/s/${space.id}`} title={space.title} />
                ))}
              </Rows>
            )}
          </Section>
        ))}
      </>
    ),
  }),
})
