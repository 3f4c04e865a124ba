/**
 * The word of each refusal, for programs: `error.reason` of the API. A word stays the same when
 * sentences change, and belongs to one kind of fault, so that it implies a status. Refusals share a
 * word if a program does the same about them. Each has what it means, and what to do about it.
 */
const table = {
  invalid: {
    invalid_input:
      'A value of the request is not valid. Correct what the message names; `details.issues` lists fields.',
    malformed_request:
      'The path, the headers, the body or the form cannot be read. Correct the program that sends it.',
    invalid_page_token:
      'The query parameter `page` does not come from this list. Start again without it.',
    not_a_member:
      'A user that the request names does not belong to the organization, or cannot read the space. Add the user first, or leave them out.',
    path_not_allowed:
      'A file cannot have this path: Git or a file system would misread it. Choose another one.',
    content_not_editable:
      'The API cannot change this content in its present form. Correct it first, or change it with Git.',
    address_not_allowed:
      'The server does not connect to private, reserved and own addresses. Use a public one.',
    address_unreachable:
      'The server cannot fetch what an address of the request names. Check the address, or try again later.',
    upload_not_found:
      'The upload does not exist, expired or was used. Announce it and send the file again.',
    upload_incomplete:
      'The bytes of the upload have not arrived, or are not those that were announced. Send them first.',
    outdated_timestamp:
      'A newer import or export was applied. Send a newer `timestamp`, or `force`.',
    sign_in_expired: 'The sign-in, or its code, is unknown, expired or completed. Sign in again.',
  },
  unauthenticated: {
    token_required: 'The request has no token. Send `Authorization: Bearer …`.',
    token_unusable: 'The token is unknown, expired, revoked or malformed. Use another one.',
    sign_in_required: 'Only visitors who signed in, or members, may read this. Sign in.',
    preview_ended: 'The preview has ended. Request a new address of it.',
    session_ended: 'The session of the browser has ended. Sign in again.',
  },
  forbidden: {
    role_required: 'The caller lacks the role that the message names. Ask an admin.',
    author_required:
      'Only the author, or the user whom the resource describes, may do this. Leave it to them.',
    own_change_request: 'The author of a change request cannot approve it. Ask another reviewer.',
    scope_required: 'The token lacks the scope that the message names. Use a token that has it.',
    token_not_accepted:
      'The operation does not take tokens of this kind. Use the kind that the message names.',
    token_refused:
      'The organization does not accept this token: an admin refused it, or it lives too long. Create another one.',
    sso_required:
      'The organization requires single sign-on. Sign in through its identity provider.',
    beyond_your_rights:
      'The change would give a right that the caller does not have. Ask an admin who has it.',
    access_ended:
      'The user who created the secret or address may no longer do this. Ask for a new one.',
    membership_ended: 'The membership is disabled or has ended. Ask an admin of the organization.',
    sign_in_refused:
      'The account at the identity provider may not sign in here. Ask an admin of the organization.',
    space_locked:
      'The space is locked. Use a change request, or ask for the role that the message names.',
    change_request_required:
      'The space has merge rules, so that only admins change its content directly. Use a change request.',
    feature_off:
      'An admin has turned this off in the organization or on the site. Ask one to turn it on.',
    integration_private:
      'Only the organization that owns the integration may install or use it. Ask the owner to publish it.',
    remote_not_allowed:
      'The server does not connect to private addresses of Git repositories. The operator can allow it.',
    address_expired: 'The address of the file or upload has expired. Ask for a new one.',
    origin_not_allowed:
      'A page of another origin sent the request. Send it from a program, or from the site itself.',
    browser_required: 'The operation is for browsers. Use the API.',
    form_refused: 'The form does not come from a current page of the server. Open the page again.',
    metrics_private: 'Metrics are read on the machine of the server, or with STEMMA_METRICS_TOKEN.',
    smart_protocol_needed: 'The server speaks only the smart protocol of Git. Use a newer Git.',
  },
  missing: {
    not_found: 'The resource does not exist, or the caller may not see it. Check the ids.',
    unknown_operation: 'There is no operation at this path. `/v1/openapi.json` lists all.',
    space_deleted: 'The space is deleted. An admin can restore it.',
    revision_rewritten:
      'The revision was replaced to remove content from history. Use the one that the message names.',
    condition_unmet:
      'The condition of the page is not met. Read the page as written, or another one.',
    invite_unusable:
      'The invitation or invite link does not exist, expired or was used up. Ask for a new one.',
    never_synced: 'The space was never imported from a Git repository, nor exported. Do so first.',
    pdf_expired: 'The address of the PDF has expired. Request a new one.',
    other_host: 'Sites are at another host. Use the address that the message names.',
  },
  wrong_method: {
    method_not_allowed:
      'The path has no operation with this method. `Allow` lists those that it has.',
  },
  too_slow: {
    body_too_slow: 'The body arrived too slowly. Send it again over a faster connection.',
  },
  conflict: {
    stale_revision:
      'The change request or file has a newer revision than the request names. Read that, and repeat the request.',
    edit_conflict:
      'The page has changed or gone since `baseRevision`. Read it again, and repeat the change; `details` has both sides.',
    concurrent_change:
      'Another request changed the same resource at the same time. Send the request again.',
    merge_conflict:
      'Both sides changed the same files. Resolve the conflicts in `details.conflicts`.',
    resolution_mismatch:
      'The resolutions are not those of the conflicts as they are now. Read the conflicts again.',
    unrelated_histories:
      'The histories have no commit in common and cannot be merged. Import the content instead.',
    already_merged: 'The change request is merged and takes no more changes. Open another one.',
    not_merged: 'The change request is not merged, so that nothing can be reverted.',
    change_request_archived: 'The change request is archived. Reopen it first.',
    nothing_to_revert: 'The revert would change nothing. Nothing is left to do.',
    content_not_from_folder:
      'The content of the space does not come from a folder. Use `force` or `replace`.',
    git_failed: 'Git cannot import these files. Correct what the message names.',
    key_reused: 'The `Idempotency-Key` belongs to another request. Use a new key.',
    path_in_use: 'Another item has the path, slug or redirect source. Choose another one.',
    name_in_use: 'Another resource has the name. Choose another one.',
    host_in_use: 'Another site has the host name or the proxy. Choose another one.',
    file_exists: 'A file would be overwritten. Choose another name, or remove the file first.',
    name_reserved: 'The server or its operator has reserved the name. Choose another one.',
    host_not_assigned:
      'The operator has not assigned the host name to the organization. Ask the operator.',
    path_conflict: 'A folder is needed where a file is, or the reverse. Choose another path.',
    branch_conflict:
      'A branch of the repository stands in the way of the name of a new one. Choose another one.',
    settings_broken: 'A settings file of the content cannot be read. Correct it with Git.',
    limit_reached: 'The number of these resources has reached its limit. Delete one first.',
    last_admin: 'The organization would have no admin. Make another member one first.',
    provider_needed:
      'Members could not sign in without an active identity provider. Set up one first.',
    still_in_use: 'Other resources still use or show this one. Remove it from them first.',
    not_empty: 'The resource contains others. Move or delete them first.',
    already_there:
      'The resource is already at the place to which it would move. Nothing is left to do.',
    already_on_site: 'The site already has the space. A site shows a space once.',
    not_on_site: 'No site shows the space. Add it to one first.',
    inside_itself: 'A collection would be inside itself. Choose another place.',
    nested_too_deep: 'Collections would be nested too deep. Choose another place.',
    template_unusable: 'The template has mistakes. Correct what the message names.',
    webhook_paused: 'The webhook is paused. Resume it first.',
    wrong_target: 'The integration has another target. Install it there.',
    provided_by_operator: 'The operator provides the integration. Ask the operator to change it.',
    sites_origin_needed:
      'Scripts of integrations need sites at an origin of their own. The operator can set it.',
    import_ended: 'The import is completed or failed, and cannot be cancelled.',
    upload_taken: 'Another request sent a file to this address. Ask for a new address.',
    data_not_ready:
      'A command of the operator cannot run on the data folder or the database. Do first what the message says.',
  },
  unmet: {
    precondition_failed:
      'The current state of the resource is not in `If-Match`. Read the resource again, and repeat the request.',
    merge_rules_unmet:
      'The merge rules of the space are not met; `details.rules` lists them. Meet them, or bypass them as an admin.',
    contents_role_required:
      'The caller is not an admin of everything in the collection. Ask the admins of the rest.',
  },
  too_large: {
    too_large: 'A body, file or text is too large for this. Make it smaller, or use Git.',
    result_too_large: 'The answer would be too large. Ask for less.',
    storage_full:
      'The space or the organization has reached its limit of bytes. Delete content, or ask the operator.',
  },
  unsupported_type: {
    unsupported_media_type:
      'The body has a media type or encoding that the operation does not take. Send it as the message says.',
  },
  unsatisfiable: {
    range_not_satisfiable: 'The range is not in the file. Request another one, or the whole file.',
  },
  too_many: {
    rate_limited: 'Too many requests came in a short time. Wait as long as `Retry-After` says.',
    too_many_bad_tokens:
      'Too many unusable tokens came from the address. Use a valid one, which works at once, or wait.',
    too_many_concurrent:
      'Too many requests or answers of the caller are under way. Send fewer at once.',
    too_many_pending:
      'Too many jobs or uploads of the caller are not finished. Wait for some of them.',
    too_many_tokens: 'The user has reached the limit of tokens. Revoke some.',
    daily_limit: 'The caller has reached a limit of 24 hours. Wait as long as `Retry-After` says.',
  },
  failed: {
    internal_error: 'The server failed. Its log has details under the id in `X-Request-Id`.',
    content_damaged:
      'Part of the content is damaged. The operator can repair it with `stemma repair`.',
  },
  not_installed: {
    not_installed: 'The server lacks a program that this needs. The operator can install it.',
  },
  unavailable: {
    busy: 'The server has too many other requests. Send the request again after `Retry-After`.',
    stopping: 'The server is stopping. Send the request again in a minute.',
    read_only: 'The server takes no changes at the moment. Try again later.',
    space_read_only:
      'The space takes no changes until the operator has completed an earlier one. Ask the operator.',
    change_unfinished:
      'The change has begun and will be completed later. Do not repeat it. Read the space later.',
    index_building: 'The search index is being built. Search again in a few seconds.',
    pdf_pending: 'The PDF is still being made. Open its address again in a minute.',
    timed_out: 'Git took too long, and nothing was changed. Do it in a clone, or try again.',
    database_unavailable:
      'The database, or the file of its indexes, cannot be used at the moment. Send the request again later, with the same `Idempotency-Key`.',
    client_gone: 'The client closed the connection before the answer.',
  },
  no_space: {
    disk_full: 'A disk of the server is full. Ask the operator.',
  },
} as const satisfies Record<string, Readonly<Record<string, string>>>

type Table = typeof table

/** The kinds of fault. `http/faults.ts` maps each to its status. */
export type FaultKind = keyof Table

/** The word of a refusal. */
export type Reason = { [Kind in FaultKind]: keyof Table[Kind] }[FaultKind]

/** What each word means and what to do about it, by the kind of fault. */
export const reasons: Readonly<Record<FaultKind, Readonly<Record<string, string>>>> = table

const kinds = new Map(
  Object.entries(table).flatMap(([kind, words]) =>
    Object.keys(words).map(word => [word as Reason, kind as FaultKind]),
  ),
)

/** Returns the kind of fault that a word belongs to. */
export const kindOf = (reason: Reason): FaultKind => kinds.get(reason) as FaultKind
