"""What the one step that may reach the network is told of the environment."""

from pm_orchestrator.bootstrap.sandboxing.layer_building import passed_on


def test_the_way_to_the_network_is_passed_on_and_no_secret() -> None:
    given = {
        "https_proxy": "http://localhost:3128",
        "NO_PROXY": "localhost",
        "PIP_INDEX_URL": "https://localhost/simple",
        "NODE_EXTRA_CA_CERTS": "/etc/ssl/certs/own.pem",
    }
    kept_back = {
        "HTTP_PROXY": "http://me:secret@localhost:3128",
        "PIP_EXTRA_INDEX_URL": "https://me:secret@localhost/simple",
        "ANTHROPIC_API_KEY": "sk-x",
        "AWS_SECRET_ACCESS_KEY": "x",
        "NPM_TOKEN": "x",
        "PATH": "/bin",
        "HOME": "/home/me",
    }
    assert passed_on({**given, **kept_back}) == given
