/** A rule as the API checked it when it was set. */
export type MergeRule =
  | { rule: 'custom'; expression: string }
  | {
      rule: 'require_specific_reviewers' | 'require_one_of_specific_reviewers' | 'allow_bypass'
      users: string[]
    }
  | {
      rule:
        | 'require_at_least_one_review'
        | 'require_all_reviews_approved'
        | 'require_agent_review'
        | 'require_up_to_date_change_request'
        | 'require_change_request_subject'
        | 'require_change_request_description'
    }

/** The merge rules of a space: none, its own, or those of its organization. */
export type MergeRules =
  | { type: 'inherit' }
  | { type: 'none' }
  | { type: 'rules'; rules: MergeRule[] }
