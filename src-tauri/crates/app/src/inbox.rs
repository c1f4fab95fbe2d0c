//! The inbox over all accounts and the local repositories.

use std::sync::Arc;

use super::App;
use diffsan_pipeline::blocking;
use diffsan_pipeline::error::{Error, Result};
use diffsan_pipeline::open::GitlabAccess;
use diffsan_store::secrets::{SecretName, origin};
use diffsan_sync::{Account, AccountView, InboxView, MarkParams};

impl App {
    /// Returns the inbox as it was read last, without the network. Blocks.
    pub fn inbox_view(&self) -> Result<InboxView> {
        let mut view = self.inbox.view()?;
        if view.accounts.is_empty() {
            // Before the first refresh, the accounts are only known from the settings.
            view.accounts = self.inbox_accounts()?.iter().map(AccountView::unread).collect();
        }
        Ok(view)
    }

    /// Reads the inbox of every account and of the recent repositories, and returns it.
    pub async fn refresh_inbox(self: &Arc<Self>) -> Result<InboxView> {
        let app = Arc::clone(self);
        let (accounts, repositories) = blocking(move || {
            let recent = app.recent_repositories()?.into_iter().filter(|path| !app.is_sample(path));
            let recent = recent.map(|path| path.display().to_string()).collect();
            Ok((app.inbox_accounts()?, recent))
        })
        .await?;
        self.inbox.refresh(accounts, repositories).await?;
        let app = Arc::clone(self);
        blocking(move || app.inbox_view()).await
    }

    /// Sets or removes the mark of a row. Blocks.
    pub fn mark_inbox_row(&self, params: &MarkParams) -> Result<InboxView> {
        self.inbox.mark(params)?;
        self.inbox_view()
    }

    /// Takes the latest change of a mark back. Returns the key of its row, if there is one, and the inbox. Blocks.
    pub fn undo_inbox_mark(&self) -> Result<(Option<String>, InboxView)> {
        Ok((self.inbox.undo()?, self.inbox_view()?))
    }

    /// Returns the accounts: the configured server if it has a token, and every saved token. Blocks.
    fn inbox_accounts(&self) -> Result<Vec<Account>> {
        let access = self.gitlab()?;
        let saved = self.saved_secrets()?.into_iter().filter_map(|secret| match secret.name {
            SecretName::Gitlab { origin, account } => Some((origin, account)),
            SecretName::Key(_) => None,
        });
        let saved: Vec<(String, String)> = saved.collect();
        let own = (access.config.base_url.clone(), access.config.account.clone());
        let own_origin = origin(&own.0).unwrap_or_default();
        let mut accounts = Vec::new();
        if access.token(&own.0).is_ok() {
            accounts.push(Account { client: access.client(&own.0), host: trimmed(&own.0), name: own.1.clone() });
        }
        for (host, name) in saved.into_iter().filter(|(host, name)| *host != own_origin || *name != own.1) {
            // The configured address of the same server may have a path, which the name of a token lacks.
            let base = if host == own_origin { trimmed(&own.0) } else { host.clone() };
            let client = account_client(&access, &base, host, &name);
            accounts.push(Account { host: base, name, client });
        }
        Ok(accounts)
    }
}

fn trimmed(base: &str) -> String {
    base.trim_end_matches('/').to_owned()
}

fn account_client(
    access: &GitlabAccess,
    base: &str,
    origin: String,
    account: &str,
) -> Result<diffsan_forge::gitlab::Client, Error> {
    let name = SecretName::Gitlab { origin, account: account.to_owned() };
    match access.secrets.get(&name) {
        Ok(Some((secret, _))) => access.client_with(base, &secret),
        Ok(None) => access.client(base),
        Err(error) => Err(super::secrets::keyring_error(error)),
    }
}
