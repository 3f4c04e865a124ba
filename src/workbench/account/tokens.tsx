import { scopeFamilies } from '../../access/scopes.ts'
import type { TokenRow } from '../../store/tables/rows.ts'
import { Checkbox, Form, Select, Submit, TextField } from '../parts/form.tsx'
import { Badge, Empty, Row, Rows, Section } from '../parts/pieces.tsx'
import { Secret } from '../parts/secret.tsx'
import { Time } from '../parts/time.tsx'
import { type Account, mostTokens } from './load-account.ts'
import { boxOf, tokenDays } from './token-fields.ts'

type TokensProps = Pick<Account, 'tokens' | 'hasMoreTokens' | 'may'> & {
  /** The secret of the token that was just made. */
  secret: string | undefined
  /** The token that those made here end with; undefined for none. */
  tokensEndWith: TokenRow | undefined
  isThroughProvider: boolean
  at: Date
}

/** Shows the tokens of a user, and makes and deletes them. */
export function Tokens(props: TokensProps) {
  const { tokens, hasMoreTokens, may, secret, at } = props
  if (!may.list) return null
  return (
    <Section title="Tokens" id="tokens" count={tokens.length}>
      <p class="muted">
        Programs, Git and the command line sign in with a token, and so does a browser.
      </p>
      {secret !== undefined && (
        <Secret about="The new token. Copy it now: it is shown this once." text={secret} />
      )}
      {tokens.length === 0 ? (
        <Empty>You have no tokens.</Empty>
      ) : (
        <Rows>
          {tokens.map(token => (
            <TokenItem token={token} canDelete={may.change} at={at} />
          ))}
        </Rows>
      )}
      {hasMoreTokens && <p class="muted">The newest {mostTokens} are shown.</p>}
      {may.change && <NewToken {...props} />}
    </Section>
  )
}

function TokenItem({ token, canDelete, at }: { token: TokenRow; canDelete: boolean; at: Date }) {
  const { id, name, scopes, expires_at: end, last_used_at: used } = token
  const isOver = end !== null && end <= at.toISOString()
  return (
    <Row
      title={
        <>
          {name} {isOver && <Badge tone="warning">Expired</Badge>}
        </>
      }
      small={
        <>
          {scopes.join(', ')} · made <Time at={token.created_at} /> ·{' '}
          {used === null ? (
            'never used'
          ) : (
            <>
              last used <Time at={used} />
            </>
          )}
          {end !== null && !isOver && ` · until ${end.slice(0, 10)}`}
        </>
      }
      end={
        canDelete && (
          <Form to={`/account/tokens/${id}/delete`}>
            <Submit label={`Delete the token ${name}`}>Delete</Submit>
          </Form>
        )
      }
    />
  )
}

const familyNames = (family: string): string =>
  family
    .replace('openapi', 'OpenAPI')
    .replace(/-/g, ' ')
    .replace(/^./, first => first.toUpperCase())

function NewToken({ tokensEndWith, isThroughProvider }: TokensProps) {
  return (
    <>
      <h3>New token</h3>
      <Form to="/account/tokens">
        <TextField
          name="name"
          label="Name"
          required
          maxlength={100}
          hint="What it is for, such as “laptop” or “CI of the handbook”."
        />
        <Select
          name="level"
          label="What it may do"
          value="write"
          options={[
            { value: 'read', title: 'Read' },
            { value: 'write', title: 'Read and write' },
            { value: 'admin', title: 'Everything that you may, settings and people included' },
          ]}
        />
        <fieldset class="choice families">
          <legend>With what</legend>
          <p class="small muted">With everything, unless you choose.</p>
          <div>
            {scopeFamilies.map(family => (
              <Checkbox name={boxOf(family)} label={familyNames(family)} />
            ))}
          </div>
        </fieldset>
        <Select
          name="days"
          label="Valid for"
          value="90"
          options={tokenDays.map(days => ({
            value: days,
            title: days === '' ? 'No expiry' : `${days} days`,
          }))}
        />
        {tokensEndWith && (
          <p class="small muted">
            {isThroughProvider
              ? 'It ends with your sign-in through the identity provider.'
              : `It ends with the token “${tokensEndWith.name}”, with which you signed in.`}
          </p>
        )}
        <Submit kind="primary">Make token</Submit>
      </Form>
    </>
  )
}
