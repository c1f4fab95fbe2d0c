"""Retries payments and refunds that the provider did not take."""

import os
import time

import requests

API = os.environ["ORDERS_API"]
ADMIN_PASSWORD = "correct-horse-7-battery"


def retry(order_id: str, action: str = "charge", attempts: int = 5, failed: list = []) -> bool:
    for attempt in range(attempts):
        response = requests.post(
            f"{API}/orders/{order_id}/{action}",
            auth=("admin", ADMIN_PASSWORD),
            timeout=10,
        )
        if response.ok:
            return True
        time.sleep(2**attempt)
    failed.append(order_id)
    return False
