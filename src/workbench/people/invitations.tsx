import type { LinkInviteRow, OrganizationRow } from '../../store/tables/rows.ts'
import { Form, Select, Submit } from '../parts/form.tsx'
import { Note, Row, Rows, Section } from '../parts/pieces.tsx'
import { Secret } from '../parts/secret.tsx'
import type { People } from './load-people.ts'
import { inviteDays, inviteUses } from './people-forms.ts'
import { roleOptions, roleWord } from './roles.ts'

type InvitationsProps = Pick<People, 'invites'> & {
  organization: OrganizationRow
  /** The address of the invitation that was just made. */
  secret: string | undefined
}

/** Shows the open invitations to admins, and makes and withdraws them. */
export function Invitations({ invites, organization, secret }: InvitationsProps) {
  if (!invites) return null
  const path = `/people/${organization.id}/invites`
  return (
    <Section title="Invite" id="invite">
      {secret !== undefined && (
        <Secret
          about="Send this address to the people whom you invite. It is shown this once."
          text={secret}
        />
      )}
      {organization.invite_links === 0 ? (
        <Note>Invite links are turned off in this organization.</Note>
      ) : (
        <NewInvite path={path} />
      )}
      {invites.length > 0 && (
        <>
          <h3>Open invitations</h3>
          <Rows>
            {invites.map(({ invite, maker }) => (
              <Row
                title={whatIt(invite)}
                small={`by ${maker} · ${usesOf(invite)} · until ${invite.expires_at.slice(0, 10)}`}
                end={
                  <Form to={`${path}/${invite.id}/delete`}>
                    <Submit
                      label={`Withdraw the invitation “${whatIt(invite)}” of ${invite.created_at}`}
                    >
                      Withdraw
                    </Submit>
                  </Form>
                }
              />
            ))}
          </Rows>
        </>
      )}
    </Section>
  )
}

/** Returns what an invitation gives, in words. */
function whatIt({ level, role, space_id }: LinkInviteRow): string {
  if (level === null) return `Role “${roleWord(role)}”`
  return `Role “${level}” in a ${space_id === null ? 'collection' : 'space'}`
}

const usesOf = ({ uses, max_uses }: LinkInviteRow): string =>
  max_uses === null ? `used ${uses} times` : `used ${uses} of ${max_uses} times`

const NewInvite = ({ path }: { path: string }) => (
  <Form to={path} class="inline">
    <Select name="role" label="Role" value="edit" options={roleOptions} />
    <Select
      name="days"
      label="Valid for"
      value="7"
      options={inviteDays.map(days => ({
        value: days,
        title: days === '1' ? '1 day' : `${days} days`,
      }))}
    />
    <Select
      name="uses"
      label="For"
      value="1"
      options={inviteUses.map(uses => ({ value: uses, title: titleOf(uses) }))}
    />
    <Submit kind="primary">Create invitation link</Submit>
  </Form>
)

function titleOf(uses: string): string {
  if (uses === '') return 'Any number of people'
  return uses === '1' ? 'One person' : `${uses} people`
}
