//! The inbox over all accounts and the local repositories.

use std::sync::Arc;

use super::App;
use diffsan_forge::gitlab::Client;
use diffsan_pipeline::blocking;
use diffsan_pipeline::error::Result;
use diffsan_pipeline::open::GitlabAccess;
use diffsan_store::secrets::{SecretName, origin};
use diffsan_sync::{Account, AccountView, InboxView, MarkParams, SearchOf};

impl App {
    /// Returns the inbox as it was read last, without the network. Blocks.
    pub fn inbox_view(&self) -> Result<InboxView> {
        let mut view = self.inbox.view()?;
        if view.accounts.is_empty() {
            // Before the first refresh, the accounts are only known from the settings.
            let names = self.inbox_account_names(&self.gitlab()?)?;
            view.accounts = names.into_iter().map(|(host, name)| AccountView::unread(host, name)).collect();
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

    /// Reads the inbox like [`Self::refresh_inbox`], and adds the rows that are to be notified.
    pub async fn refresh_inbox_with_news(self: &Arc<Self>) -> Result<InboxView> {
        let view = self.refresh_inbox().await?;
        let app = Arc::clone(self);
        let news = blocking(move || app.inbox.news(&app.user_config()?.inbox)).await?;
        Ok(InboxView { news, ..view })
    }

    /// Fetches the changes of the first rows that wait for the reader, so that opening one needs no network. Returns their number.
    pub async fn prefetch_inbox(self: &Arc<Self>) -> Result<usize> {
        let cancel = self.cancellation();
        let _work = self.work.begin(&cancel);
        let app = Arc::clone(self);
        let (limit, access) = blocking(move || Ok((app.user_config()?.inbox.prefetch, app.gitlab()?))).await?;
        let app = Arc::clone(self);
        let search: SearchOf = Arc::new(move |path| app.search_path_for(Some(path)));
        self.inbox.prefetch(limit as usize, access, search, cancel).await
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

    /// Returns the accounts with their clients. Blocks.
    fn inbox_accounts(&self) -> Result<Vec<Account>> {
        let access = self.gitlab()?;
        let accounts = self.inbox_account_names(&access)?.into_iter().map(|(host, name)| {
            let client = account_client(&access, &host, &name);
            Account { host, name, client }
        });
        Ok(accounts.collect())
    }

    /// Returns the servers and names of the accounts: the configured one if it has a token, and every saved token. Asks the keyring for
    /// nothing, because that may open a dialog. Blocks.
    fn inbox_account_names(&self, access: &GitlabAccess) -> Result<Vec<(String, String)>> {
        let names = self.store.secret_names()?;
        let saved = names.iter().filter_map(|name| SecretName::parse(name)).chain(self.secrets.session_names());
        let (base, account) = (trimmed(&access.config.base_url), access.config.account.clone());
        let own_origin = origin(&base);
        let mut accounts = Vec::new();
        if access.has_token_variable() {
            accounts.push((base.clone(), account));
        }
        for name in saved {
            let SecretName::Gitlab { origin, account } = name else { continue };
            // The configured address of the same server may have a path, which the name of a token lacks.
            let host = if own_origin.as_ref() == Some(&origin) { base.clone() } else { origin };
            if !accounts.contains(&(host.clone(), account.clone())) {
                accounts.push((host, account));
            }
        }
        Ok(accounts)
    }
}

fn trimmed(base: &str) -> String {
    base.trim_end_matches('/').to_owned()
}

fn account_client(access: &GitlabAccess, base: &str, account: &str) -> Result<Client> {
    if account == access.config.account {
        return access.client(base);
    }
    let name = SecretName::Gitlab { origin: origin(base).unwrap_or_default(), account: account.to_owned() };
    match access.secrets.get(&name).map_err(super::secrets::keyring_error)? {
        Some((secret, _)) => access.client_with(base, &secret),
        None => access.client(base),
    }
}
