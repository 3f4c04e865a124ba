import { Fold } from '../parts/fold.tsx'
import { Form, Select, Submit } from '../parts/form.tsx'
import { Badge, Row } from '../parts/pieces.tsx'
import { Time } from '../parts/time.tsx'
import type { Person } from './load-people.ts'
import { roleWord, shortRoleOptions } from './roles.ts'

type PersonProps = Person & {
  /** Whether the viewer is an admin, and whether they look at themselves. */
  isAdmin: boolean
  isMe: boolean
}

/** Shows a member, with forms that change their role and remove them. */
export function PersonRow({ member, user, email, isAdmin, isMe }: PersonProps) {
  const path = `/people/${member.organization_id}/members/${user.id}`
  const name = user.display_name
  return (
    <Row
      title={
        <>
          {name} {isMe && <Badge tone="success">You</Badge>}{' '}
          {member.disabled === 1 && <Badge tone="danger">Disabled</Badge>}{' '}
          {user.is_agent === 1 && <Badge>Program</Badge>}
        </>
      }
      small={
        <>
          {email !== null && `${email} · `}
          {!isAdmin && `${roleWord(member.role)} · `}joined <Time at={member.joined_at} />
          {member.sso === 1 && ' · single sign-on'}
        </>
      }
      end={
        (isAdmin || isMe) && (
          <div class="person-forms">
            {isAdmin && (
              <Form to={path} class="inline" label={`Role of ${name}`}>
                <Select
                  name="role"
                  label={`Role of ${name}`}
                  hidesLabel
                  value={roleWord(member.role)}
                  options={shortRoleOptions}
                />
                <Submit label={`Change the role of ${name}`}>Change</Submit>
              </Form>
            )}
            <Fold to={`${path}/remove`} summary={isMe ? 'Leave' : 'Remove'} isButton>
              <Form to={`${path}/remove`} label={`Remove ${name}`}>
                <p class="small">
                  {isMe
                    ? 'You are removed from all teams, and lose access to what is shared with you. Your content stays.'
                    : 'They are removed from all teams, and lose access to what is shared with them. Their content stays.'}
                </p>
                <Submit kind="danger">{isMe ? 'Leave' : `Remove ${name}`}</Submit>
              </Form>
            </Fold>
          </div>
        )
      }
    />
  )
}
