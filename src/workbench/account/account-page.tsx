import { self } from '../../access/guards/self.ts'
import type { UserRow } from '../../store/tables/rows.ts'
import { page } from '../frame/page.ts'
import { takeSecret } from '../frame/shown-once.ts'
import { Form, Submit, TextField } from '../parts/form.tsx'
import { Section } from '../parts/pieces.tsx'
import { parentIn } from './account-forms.ts'
import { loadAccount } from './load-account.ts'
import { Sessions } from './sessions.tsx'
import { Tokens } from './tokens.tsx'

export const accountPage = page({
  path: '/account',
  scope: undefined,
  access: self,
  load: asked => ({
    ...loadAccount(asked),
    me: asked.me,
    currentId: asked.session.id,
    secret: takeSecret(asked.ctx, asked.session.id, 'token'),
    tokensEndWith: parentIn(asked.session, asked.actor.token),
    isThroughProvider: asked.session.provider_id !== null,
    at: asked.ctx.now(),
  }),
  view: account => ({
    title: 'Your account',
    body: (
      <div class="stacked">
        <Who me={account.me} organization={account.organization} canRename={account.may.rename} />
        <Tokens {...account} />
        <Sessions {...account} />
      </div>
    ),
  }),
})

type WhoProps = { me: UserRow; organization: string | undefined; canRename: boolean }

function Who({ me, organization, canRename }: WhoProps) {
  return (
    <Section title="You" id="you">
      <p>
        You are signed in as <strong>{me.display_name}</strong>
        {me.email !== null && ` (${me.email})`}.
        {organization !== undefined &&
          ` This session reaches the organization “${organization}” only.`}
      </p>
      {canRename && (
        <Form to="/account/name">
          <TextField
            name="displayName"
            label="Name"
            value={me.display_name}
            required
            maxlength={64}
            hint="It appears in the history of what you write from now on."
          />
          <Submit>Change name</Submit>
        </Form>
      )}
    </Section>
  )
}
